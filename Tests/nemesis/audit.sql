-- What the nemesis records in the database by itself: triggers on takt's tables. Once more after these
-- have been dropped, and the triggers with them.
CREATE SCHEMA IF NOT EXISTS nemesis;
CREATE TABLE IF NOT EXISTS nemesis.violation (
  at timestamptz NOT NULL DEFAULT clock_timestamp(), kind text, job text, slot bigint, words text);
CREATE TABLE IF NOT EXISTS nemesis.slot_change (
  at timestamptz NOT NULL DEFAULT clock_timestamp(), job text, slot bigint, was text, state text,
  member bigint, machine text, token bigint, verdict text, detail text, outcome text, reason text);

-- A lease is not renewed when others may have decided for its member. The new lease counts from the
-- instant of the batch.
CREATE OR REPLACE FUNCTION nemesis.member_changes() RETURNS trigger LANGUAGE plpgsql AS $fn$
BEGIN
  -- A standby that took over late does not know how long their leases are.
  IF OLD.lost_after < NEW.lease_until - NEW.lease
    AND NOT EXISTS (
      SELECT FROM takt.era
      WHERE cluster = NEW.cluster AND NEW.lease_until - NEW.lease < at_most)
  THEN
    INSERT INTO nemesis.violation (kind, words) VALUES ('late renewal', format(
      'member %s renewed its lease %s ms after it was lost', NEW.id,
      (NEW.lease_until - NEW.lease - OLD.lost_after) / 1000000));
  END IF;
  RETURN NULL;
END
$fn$;
CREATE TRIGGER nemesis AFTER UPDATE ON takt.member
  FOR EACH ROW EXECUTE FUNCTION nemesis.member_changes();

CREATE OR REPLACE FUNCTION nemesis.slot_changes() RETURNS trigger LANGUAGE plpgsql AS $fn$
DECLARE
  v_lease bigint;
  v_lost bigint;
BEGIN
  INSERT INTO nemesis.slot_change (job, slot, was, state, member, machine, token, verdict, detail,
    outcome, reason)
  VALUES (NEW.job, NEW.slot, CASE WHEN TG_OP = 'UPDATE' THEN OLD.state END, NEW.state, NEW.member,
    NEW.machine, NEW.token, NEW.verdict, NEW.detail, NEW.outcome, NEW.reason);
  IF NEW.state = 'claimed'
    AND (TG_OP = 'INSERT' OR NEW.token IS DISTINCT FROM OLD.token)
  THEN
    SELECT lease_until INTO v_lease FROM takt.member WHERE id = NEW.member;
    IF coalesce(v_lease <= NEW.claimed_at, true) THEN
      INSERT INTO nemesis.violation (kind, job, slot, words) VALUES ('claim without a lease',
        NEW.job, NEW.slot, format('token %s, member %s', NEW.token, NEW.member));
    END IF;
  END IF;
  IF TG_OP = 'UPDATE' THEN
    -- A machine that was given the slot and did not hear of it ran it all the same, as its job says,
    -- and counted as lost meanwhile: that it ran stands, and how it ended is nobody's word any more.
    IF OLD.state = 'decided' AND NOT coalesce(OLD.verdict = 'ran' AND OLD.reason = 'lost'
      AND NEW.state = 'decided' AND NEW.verdict = 'ran' AND NEW.reason = 'unclaimed'
      AND NEW.machine = OLD.machine, false)
    THEN
      INSERT INTO nemesis.violation (kind, job, slot, words) VALUES ('second verdict', NEW.job,
        NEW.slot, format('%s %s %s %s became %s %s %s %s', OLD.verdict, OLD.detail, OLD.outcome,
          OLD.reason, NEW.state, NEW.verdict, NEW.detail, NEW.outcome));
    END IF;
    IF OLD.state = 'claimed' AND NEW.state = 'decided' AND NEW.reason = 'lost' THEN
      SELECT lost_after INTO v_lost FROM takt.member WHERE id = OLD.member;
      IF v_lost >= NEW.ended_at THEN
        INSERT INTO nemesis.violation (kind, job, slot, words) VALUES ('settled too early', NEW.job,
          NEW.slot, format('member %s', OLD.member));
      END IF;
    END IF;
    IF OLD.state = 'claimed' AND NEW.state = 'claimed' AND NEW.token <> OLD.token
      AND OLD.machine <> NEW.machine
    THEN
      INSERT INTO nemesis.violation (kind, job, slot, words) VALUES ('taken from another', NEW.job,
        NEW.slot, format('token %s of %s became token %s of %s', OLD.token, OLD.machine, NEW.token,
          NEW.machine));
    END IF;
  END IF;
  RETURN NULL;
END
$fn$;
CREATE TRIGGER nemesis AFTER INSERT OR UPDATE ON takt.slot
  FOR EACH ROW EXECUTE FUNCTION nemesis.slot_changes();
