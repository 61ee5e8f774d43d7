import TaktCore
import Testing

@testable import TaktImport

@Suite struct SupercronicFieldsTests {
  /// source | takt's fields. `-`: supercronic refuses it; `never`: no time matches, or takt does
  /// not read it. Read from supercronic's source, without running it.
  @Test(arguments: [
    "*/5 * * * * | */5 * * * *", "0 09,19 * * * | 0 09,19 * * *", "5/15 * * * * | 5/15 * * * *",
    "0 0 1 jan mon | 0 0 1 jan mon", "0 0 1 January Monday | 0 0 1 1 1",
    "*/5 * * * * * * | */5 * * * * * *", "0 0 1 1 * 2030 | 0 0 0 1 1 * 2030",
    "0 0 1 1 * 2097/2 | 0 0 0 1 1 * 2097,2099",
    "0 0 */2 * 1 | 0 0 */2 * 1 days any", "0 0 */1 * 1 | 0 0 * * *", "0 0 1 * 0-6 | 0 0 * * *",
    "0 0 *,1 * 5 | 0 0 * * 5", "0 0 ? * 5 | 0 0 * * 5", "0 0 1 * ? | 0 0 1 * *",
    "0 0 * * 7 | 0 0 * * 0", "0 0 * * 0-7 | 0 0 * * 0", "0 0 * * */2 | 0 0 * * 0,2,4,6",
    "0 0 * * 5/2 | 0 0 * * 5", "0 0 * * 1-5/2 | 0 0 * * 1,3,5", "0 0 * * 5-7/1,2 | 0 0 * * 2",
    "0 0 L * * | 0 0 L * *", "0 0 LW * * | 0 0 LW * *", "0 0 15W * * | 0 0 15W * *",
    "0 0 LW,15W * * | never", "0 0 * * 5L | 0 0 * * 5L",
    "0 0 * * fri#3 | 0 0 * * FRI#3", "1,,2 * * * * | 1,2 * * * *", "50-10/5,3 * * * * | 3 * * * *",
    "50-10/5 * * * * | never", "0 0 31 2 * | never",
    "*/60 * * * * | -", "*/0 * * * * | -", "0 */24 * * * | -", "60 * * * * | -", "* 24 * * * | -",
    "* * 0 * * | -", "* * * 13 * | -", "* * * * 8 | -", "* * * * 5-7 | -", "* * * * fri-sun | -",
    "50-10 * * * * | -", "~ * * * * | -", "H * * * * | -", ", * * * * | -", "1-2-3 * * * * | -",
    "1/2/3 * * * * | -", "- * * * * | -", "/ * * * * | -", "1- * * * * | -", "*/005 * * * * | -",
    "005 * * * * | -", "0 0 1 1 * 1969 | -", "0 0 1 1 * 2100 | -", "0 0 * * 5#6 | -",
    "0 0 w * * | -", "0 0 * * l | -", "é * * * * | -", "+1 * * * * | -",
  ])
  func `fields are read as supercronic reads them`(row: String) throws {
    let parts = row.split(separator: "|").map { $0.split(separator: " ").joined(separator: " ") }
    let found: String
    do throws(CronFields.Refusal) {
      let fields = try SupercronicFields(parts[0].split(separator: " ").map(String.init))
      found = fields.expression + (fields.days.map { " days \($0.rawValue)" } ?? "")
    } catch {
      found = error.isByCron ? "-" : "never"
    }
    #expect(found == parts[1])
  }

  @Test(arguments: [
    ("date +%F", false), ("echo $(date +", true), ("echo $(date)", false), ("echo `date +", true),
    ("echo \"it's", true), ("echo \"it's\"", false), ("echo 'a\"b'", false), ("echo it\\'s", false),
    ("echo \"$(echo \"", true), ("echo \"$(echo \")\" x)\"", false), ("(cd /; ls", false),
    ("'", true),
    ("", false), ("\\", false), ("$(", true), (")", false),
  ])
  func `a command that ends within a quote looks cut short`(command: String, isCut: Bool) {
    #expect(CommandGuards.isCutShort(command) == isCut)
  }
}
