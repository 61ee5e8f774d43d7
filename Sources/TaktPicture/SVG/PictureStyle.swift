/// The colours and fonts of the picture, for light and dark surroundings.
///
/// No custom properties: not every program that shows pictures knows them.
struct PictureStyle: Sendable {
  private struct Palette {
    var ground, band, grid, boundary, text, dim: String
    var ran, skipped, coalesced, missed, cancelled: String
    var run, failed, wakes, running, event: String
  }

  // The verdicts differ in lightness and on the blue-to-yellow scale, not only between red and green.
  private static let light = Palette(
    ground: "#ffffff", band: "#f4f6f9", grid: "#e3e7ec", boundary: "#b9c1cb", text: "#1f2328",
    dim: "#5c6670", ran: "#2f6fb5", skipped: "#d98a00", coalesced: "#27a5bd", missed: "#c01040",
    cancelled: "#6e7781", run: "#4ba58a", failed: "#c01040", wakes: "#8b7fc7",
    running: "#4ba58a", event: "#a0309c")
  private static let dark = Palette(
    ground: "#0f141a", band: "#161d26", grid: "#242c36", boundary: "#465160", text: "#e6edf3",
    dim: "#9aa4af", ran: "#5aa2ef", skipped: "#f0b040", coalesced: "#7fe0e6", missed: "#ff5c7c",
    cancelled: "#98a2ad", run: "#3f9a7e", failed: "#ff5c7c", wakes: "#9d92dc",
    running: "#3f9a7e", event: "#e07fdc")

  private static let shapes = """
    .takt-timeline{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif}
    .takt-timeline .title{font-size:19px;font-weight:600}
    .takt-timeline .subtitle{font-size:12.5px}
    .takt-timeline .heading,.takt-timeline .lane{font-weight:600}
    .takt-timeline .small{font-size:10.5px}
    .takt-timeline .tick text{font-size:11px;text-anchor:middle}
    .takt-timeline .event text{font-size:11px}
    .takt-timeline .event text,.takt-timeline .heading,.takt-timeline .tick text{\
    paint-order:stroke;stroke-width:4px;stroke-linejoin:round}
    .takt-timeline path{fill:none}
    .takt-timeline .grid,.takt-timeline .boundary,.takt-timeline .thread,\
    .takt-timeline .fill path,.takt-timeline .wakes,.takt-timeline .running,\
    .takt-timeline .runningline{shape-rendering:crispEdges}
    .takt-timeline .mark path{stroke:currentColor;stroke-width:2}
    .takt-timeline .mark .skipped{stroke-width:1.6}
    .takt-timeline .mark .coalesced{stroke-width:5.5;stroke-linecap:round}
    .takt-timeline .mark .cancelled{stroke-width:2.6}
    .takt-timeline .fill path{fill:currentColor}
    .takt-timeline .fill .ran{opacity:.55}
    .takt-timeline .hit{fill:none;pointer-events:all}
    .takt-timeline .window{opacity:.24}
    .takt-timeline .running{opacity:.3}
    .takt-timeline .failed{fill:url(#takt-failed)}
    .takt-timeline .event .line{stroke-dasharray:4 3;stroke-width:1.3}

    """

  /// The `<style>` and `<defs>` of the picture.
  static var markup: String {
    "<style>\n\(shapes)\(rules(light))@media (prefers-color-scheme:dark){\n\(rules(dark))}\n</style>\n"
      + "<defs><pattern id=\"takt-failed\" width=\"4\" height=\"4\" "
      + "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
      + "<rect class=\"hatch\" width=\"1.7\" height=\"4\"/></pattern></defs>\n"
  }

  private static func rules(_ palette: Palette) -> String {
    let rules = [
      ".ground{fill:\(palette.ground)}",
      "text{fill:\(palette.text)}",
      ".dim,X.small,X.subtitle,X.tick text{fill:\(palette.dim)}",
      "path.band{fill:\(palette.band)}",
      ".grid,X.thread{stroke:\(palette.grid)}",
      ".boundary{stroke:\(palette.boundary)}",
      ".ran{color:\(palette.ran)}",
      ".skipped{color:\(palette.skipped)}",
      ".coalesced{color:\(palette.coalesced)}",
      ".missed{color:\(palette.missed)}",
      ".cancelled{color:\(palette.cancelled)}",
      ".window{fill:\(palette.ran)}",
      ".run{fill:\(palette.run)}",
      ".failed{stroke:\(palette.failed)}",
      ".hatch,X.sliver{fill:\(palette.failed)}",
      ".wakes{fill:\(palette.wakes)}",
      "path.running{fill:\(palette.running)}",
      ".runningline{stroke:\(palette.running);stroke-width:1.5}",
      ".event .line{stroke:\(palette.event)}",
      ".event text{fill:\(palette.event)}",
      ".event text,X.heading,X.tick text{stroke:\(palette.ground)}",
    ]
    return rules.map { rule in
      let parts = rule.split(separator: "X").joined(separator: ".takt-timeline ")
      return ".takt-timeline \(parts)\n"
    }.joined()
  }
}
