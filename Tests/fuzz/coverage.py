"""Prints how much of the reading code the kept inputs reach, file by file.

    coverage.py PROGRAM

PROGRAM is `boundary-fuzz`, built to count. Needs llvm-profdata and llvm-cov, which come with Swift.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SOURCES = HERE.parent.parent / "Sources"
# Code that reads foreign bytes, by what its path starts with.
READERS = {
    "jobs": ["TaktConfig/YAML", "TaktConfig/Source", "TaktConfig/Jobs", "TaktConfig/Keys"],
    "cron": ["TaktCore/Schedule/Cron"],
    "calendar": ["TaktCore/Schedule/Calendar"],
    "times": ["Timers/TaktTime/Text/DurationText", "Timers/TaktTime/Text/InstantText",
              "Timers/TaktTime/Text/TypedInstant"],
    "zones": ["Timers/TaktTime/Wall/Zone"],
    "env-file": ["TaktConfig/Lookup/Files/EnvironmentText", "TaktConfig/Lookup/Files/EnvironmentFiles"],
    "manifest": ["TaktConfig/Plugins"],
    "plugin": ["TaktEngine/Plugins/PluginConversation", "TaktEngine/Plugins/PluginMessage",
               "TaktEngine/Plugins/NagiosOutput"],
    "rrule": ["TaktCore/Schedule/Recurrence/RecurrenceParser", "TaktCore/Schedule/Recurrence/RecurrenceRule"],
    "ics": ["TaktCore/Schedule/SharedCalendars/CalendarFile"],
    "request": ["TaktControl/Requests/RequestTarget"],
    "crontab": ["TaktImport/Crontab"],
    "units": ["TaktImport/Systemd"],
    "schedule": ["TaktStore/Tables/LedgerSchedule", "TaktStore/Tables/Stored", "TaktStore/Tables/ScheduleText"],
    "ledger": ["TaktStore/Reading", "TaktStore/Tables/Row+Columns", "TaktCore/Audit/JobAudit"],
    "log": ["TaktEngine/Log/LogReplay", "TaktCore/Audit/TransitionReplay"],
    "etcd": ["TaktClaims/Etcd/EtcdMessages", "TaktClaims/Etcd/EtcdProblem"],
    "etcd-records": ["TaktClaims/Etcd/EtcdRecords", "TaktClaims/Etcd/EtcdState", "TaktClaims/EtcdHistory"],
    "postgres": ["TaktClaims/Wire/ReplyText", "TaktCore/Scheduler/Cluster"],
    "postgres-audit": ["TaktClaims/Wire/PostgresPage", "TaktClaims/Postgres/PostgresMessage"],
    "machine": ["TaktControl/Cluster/MachineAnswers", "TaktControl/Cluster/ClusterJobMerge"],
    "smtp": ["TaktTransfer/Mail/MailTranscript"],
}


def tool(name):
    """The compiler's own: another version cannot read what it has counted."""
    own = pathlib.Path(shutil.which("swiftc")).resolve().parent / name
    return str(own) if own.exists() else name


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        raw, data = f"{folder}/raw", f"{folder}/data"
        subprocess.run(
            [program, "replay", str(HERE / "corpus")], check=True,
            env=os.environ | {"LLVM_PROFILE_FILE": raw})
        subprocess.run([tool("llvm-profdata"), "merge", raw, "-o", data], check=True)
        exported = subprocess.run(
            [tool("llvm-cov"), "export", "-summary-only", f"-instr-profile={data}", program],
            check=True, capture_output=True).stdout
    files = json.loads(exported)["data"][0]["files"]
    for target, prefixes in READERS.items():
        lines = [
            one["summary"]["lines"] for one in files
            if any(one["filename"].startswith(f"{SOURCES}/{prefix}") for prefix in prefixes)]
        count, covered = (sum(line[what] for line in lines) for what in ("count", "covered"))
        print(f"{target}: {covered} of {count} lines, {100 * covered / max(count, 1):.0f} %")


if __name__ == "__main__":
    main()
