#!/usr/bin/env python3
"""Compares the days of calendar files with two other readers.

  compare.py FOLDER TAKT [--to YEAR]

FOLDER has calendar files (.ics), such as public holidays of countries. Of each, takt, icalendar with
recurring-ical-events (from PyPI), and libical (Debian: gir1.2-ical-3.0, python3-gi) say which days are
named at noon in UTC: from the year of its first event to the one after its last, or up to YEAR where
events recur. A reader that is not installed is left out. Ends with 1 where a file is refused, or
where takt differs from all other readers.
"""
import argparse
import datetime
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import zoneinfo

DAY = datetime.timedelta(days=1)
UTC = datetime.timezone.utc


def covered(start, end, days):
    """Adds the days that an event has at noon."""
    if isinstance(start, datetime.datetime):
        start, end = (
            (t if t.tzinfo else t.replace(tzinfo=UTC)).astimezone(UTC) for t in (start, end))
        day = start.date()
        while day <= end.date():
            noon = datetime.datetime.combine(day, datetime.time(12), UTC)
            if start <= noon < max(end, start + datetime.timedelta(seconds=1)):
                days.add(day)
            day += DAY
    else:
        day = start
        while day < max(end, start + DAY):
            days.add(day)
            day += DAY


def span(text, last):
    """The days to compare."""
    text = re.sub(r"\r?\n[ \t]", "", text)
    years = [int(year) for year in re.findall(r"^DTSTART[^:\r\n]*:(\d{4})", text, re.MULTILINE)]
    years = [year for year in years if 2000 <= year < last] or [last - 1]
    end = last if "RRULE" in text else max(years) + 2
    first = max(min(years), end - 20)
    return datetime.date(first, 1, 1), datetime.date(end, 1, 1)


def takt_days(takt, path, first, last):
    """The days, and takt's warnings; None for a file that it refuses."""
    with tempfile.TemporaryDirectory() as folder:
        jobs = pathlib.Path(folder, "jobs.yaml")
        jobs.write_text(json.dumps({
            "scheduler": {"timezone": "UTC", "state": "none"},
            "calendars": {"h": {"file": str(path.resolve())}},
            "jobs": {"a": {"cron": "0 12 * * *", "except": "h", "run": "true"}}}))
        check = subprocess.run([takt, "check", jobs], capture_output=True, text=True)
        warnings = [line for line in (check.stdout + check.stderr).splitlines()
                    if ": warning: " in line and str(path) in line]
        if check.returncode != 0:
            return None, check.stderr.splitlines()[:1]
        run = subprocess.run(
            [takt, "simulate", jobs, "--from", f"{first}T00:00:00Z", "--for",
             f"{(last - first).days}d", "--slots", "--json"], stdout=subprocess.PIPE, text=True, check=True)
        days = {first + n * DAY for n in range((last - first).days)}
        for line in run.stdout.splitlines():
            slot = json.loads(line)
            if slot.get("verdict") == "ran":
                days.discard(datetime.date.fromisoformat(slot["slot"][:10]))
        return days, warnings


def icalendar_days(text, first, last):
    import icalendar
    import recurring_ical_events
    days = set()
    calendar = icalendar.Calendar.from_ical(text)
    query = recurring_ical_events.of(calendar, skip_bad_series=True)
    for event in query.between(first, last):
        if str(event.get("STATUS", "")).upper() == "CANCELLED":
            continue
        try:
            covered(event.start, event.end, days)
        except icalendar.error.InvalidCalendar:
            start = event["DTSTART"].dt
            covered(start, start, days)
    return {day for day in days if first <= day < last}


class Libical:
    """Parses by libical and lets it make the times of rules; events with one UID by SEQUENCE."""

    def __init__(self):
        import gi
        gi.require_version("ICalGLib", "3.0")
        from gi.repository import ICalGLib
        self.lib = ICalGLib

    def value(self, prop, text=None):
        """A date, or a time in UTC."""
        text = text or prop.get_value_as_string()
        if len(text) == 8:
            return datetime.datetime.strptime(text, "%Y%m%d").date()
        time = datetime.datetime.strptime(text[:15], "%Y%m%dT%H%M%S")
        if text.endswith("Z"):
            return time.replace(tzinfo=UTC)
        zone = prop.get_first_parameter(self.lib.ParameterKind.TZID_PARAMETER)
        if zone is None:
            return time.replace(tzinfo=UTC)
        return time.replace(tzinfo=zoneinfo.ZoneInfo(zone.get_tzid().split("/", 1)[-1]
                            if zone.get_tzid().startswith("/") else zone.get_tzid()))

    def properties(self, event, kind):
        # All at once: an event has one place at which its properties are read.
        kind = getattr(self.lib.PropertyKind, kind + "_PROPERTY")
        found = []
        prop = event.get_first_property(kind)
        while prop:
            found.append(prop)
            prop = event.get_next_property(kind)
        return found

    def components(self, parent, kind):
        found = []
        component = parent.get_first_component(kind)
        while component:
            found.append(component)
            component = parent.get_next_component(kind)
        return found

    def text(self, event, kind):
        return next((p.get_value_as_string() for p in self.properties(event, kind)), None)

    def days(self, text, first, last):
        lib = self.lib
        root = lib.Component.new_from_string(text)
        kinds = lib.ComponentKind
        # A file may have several calendars.
        events = [event for calendar in self.components(root, kinds.VCALENDAR_COMPONENT) or [root]
                  for event in self.components(calendar, kinds.VEVENT_COMPONENT)]
        newest = {}
        key = lambda e: (self.text(e, "UID"), self.text(e, "RECURRENCEID"))
        number = lambda e: int(self.text(e, "SEQUENCE") or 0)
        for event in events:
            newest[key(event)] = max(number(event), newest.get(key(event), 0))
        events = [e for e in events if number(e) == newest[key(e)] or key(e)[0] is None]
        replaced = {}
        for event in events:
            for prop in self.properties(event, "RECURRENCEID"):
                replaced.setdefault(self.text(event, "UID"), set()).add(self.value(prop))
        days = set()
        for event in events:
            try:
                self.add(event, replaced.get(self.text(event, "UID"), set()), first, last, days)
            except (ValueError, StopIteration, zoneinfo.ZoneInfoNotFoundError):
                continue
        return {day for day in days if first <= day < last}

    def add(self, event, replaced, first, last, days):
        lib = self.lib
        if (self.text(event, "STATUS") or "").upper() == "CANCELLED":
            return
        prop = next(iter(self.properties(event, "DTSTART")))
        start = self.value(prop)
        length = datetime.timedelta(0)
        try:
            for end in self.properties(event, "DTEND"):
                end = self.value(end)
                if type(end) is type(start):
                    length = end - start
            for duration in self.properties(event, "DURATION"):
                length = datetime.timedelta(seconds=duration.get_duration().as_int())
        except (ValueError, TypeError):
            pass
        left = set()
        is_instance = self.text(event, "RECURRENCEID") is not None
        if not is_instance:
            exceptions = {self.value(prop) for prop in self.properties(event, "EXDATE")}
            left = {value if type(value) is type(start) else value.date()
                    for value in replaced | exceptions}
        starts = set()
        rules = [] if is_instance else self.properties(event, "RRULE")
        for rule in rules:
            recurrence = lib.Recurrence.new_from_string(rule.get_value_as_string())
            local = prop.get_value_as_string().rstrip("Z")
            iterator = lib.RecurIterator.new(recurrence, lib.Time.new_from_string(local))
            time = iterator.next()
            while time and not time.is_null_time() and time.get_year() <= last.year:
                starts.add(self.value(prop, time.as_ical_string().rstrip("Z")
                                      + ("Z" if prop.get_value_as_string().endswith("Z") else "")))
                time = iterator.next()
        if not rules:
            starts.add(start)
        if not is_instance:
            for date in self.properties(event, "RDATE"):
                value = self.value(date, date.get_value_as_string().split("/")[0])
                starts.add(value if type(value) is type(start) else value.date())
        for start in starts - left:
            covered(start, start + length, days)


def readers():
    found = {}
    try:
        import icalendar, recurring_ical_events  # noqa: F401
        found["icalendar"] = icalendar_days
    except ImportError:
        print("left out: icalendar and recurring-ical-events are not installed")
    try:
        found["libical"] = Libical().days
    except (ImportError, ValueError):
        print("left out: libical is not installed (gir1.2-ical-3.0, python3-gi)")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("takt")
    parser.add_argument("--to", dest="last", type=int, default=2031)
    options = parser.parse_args()
    others = readers()
    files = sorted(options.folder.rglob("*.ics"))
    refused = warned = compared = named = alone = 0
    agreeing = dict.fromkeys(others, 0)
    for path in files:
        text = path.read_bytes().decode("utf-8", "replace")
        first, last = span(text, options.last)
        days, messages = takt_days(options.takt, path, first, last)
        if days is None:
            refused += 1
            print(f"refused {path.name}: {messages}")
            continue
        if messages:
            warned += 1
            print(f"warnings {path.name}: {len(messages)}, the first: {messages[0].split(': ', 1)[1]}")
        compared += (last - first).days
        named += len(days)
        isAlone = bool(others)
        for name, read in others.items():
            try:
                other = read(text, first, last)
            except Exception as error:  # Whatever another reader does, the comparison goes on.
                print(f"{name} refuses {path.name}: {type(error).__name__}: {str(error)[:100]!r}")
                continue
            if other == days:
                agreeing[name] += 1
                isAlone = False
                continue
            show = lambda some: " ".join(str(day) for day in sorted(some)[:5]) or "none"
            print(f"{name} differs in {path.name}: takt alone {len(days - other)} "
                  f"({show(days - other)}), {name} alone {len(other - days)} ({show(other - days)})")
        alone += isAlone
    print(f"{len(files)} files, {refused} refused, {warned} with warnings; {compared} days compared, "
          f"{named} named by takt")
    for name, count in agreeing.items():
        print(f"{name}: all days agree in {count} files")
    print(f"takt differs from all others in {alone} files")
    return 1 if refused or alone else 0


if __name__ == "__main__":
    sys.exit(main())
