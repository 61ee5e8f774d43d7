/// Claims that nothing stands in the way of, all of a batch at once.
extension PostgresSchema {
  /// What `takt.claim` would grant, in a fraction of its time: of a wake's claims nearly all are such.
  /// All others, and all of a job that has several requests in the batch, are left to it; for these
  /// the answer is the token that they have in turn.
  static let plainClaims = """
    CREATE OR REPLACE FUNCTION takt.claim_plain(
      p_cluster text, p_member bigint, p_machine text, p_lease_left bigint, p_now bigint,
      p_requests jsonb
    ) RETURNS jsonb LANGUAGE plpgsql AS $fn$
    DECLARE
      v_answers jsonb;
    BEGIN
      -- Subqueries, and not joins: those are planned while the tables are small, and then read
      -- whole indexes.
      WITH element AS (
        SELECT place, r, CASE WHEN r->>'do' = 'claim'
          THEN takt.numbered(pg_catalog.nextval('takt.token')) END AS token
        FROM pg_catalog.jsonb_array_elements(p_requests) WITH ORDINALITY AS e (r, place)
      ), request AS (
        SELECT *, (r->>'job') COLLATE "C" AS job, (r->>'slot')::bigint AS slot,
          r->>'overlap' AS overlap, pg_catalog.count(*) OVER (PARTITION BY r->>'job') AS job_requests
        FROM element
      ), free AS (
        SELECT q.*, j.row FROM request q CROSS JOIN LATERAL (
          SELECT *, ctid AS row FROM takt.job WHERE cluster = p_cluster AND name = q.job OFFSET 0) j
        WHERE q.token IS NOT NULL AND q.job_requests = 1 AND q.r->>'group' IS NULL
          AND j.schedule = (q.r->>'schedule')::bigint
          AND (SELECT true FROM takt.holder
            WHERE cluster = p_cluster AND job = q.job AND member = p_member)
          AND j.rest IS NULL AND NOT j.is_suspended
          AND coalesce(j.ran_count < (q.r->>'limit')::bigint, true)
          AND coalesce(j.forgotten_until < q.slot, true)
          AND takt.nanoseconds(q.slot) - 1000000::numeric <= p_now
          AND (SELECT true FROM takt.slot
            WHERE cluster = p_cluster AND job = q.job AND slot = q.slot) IS NULL
          AND (SELECT true FROM takt.series
            WHERE cluster = p_cluster AND job = q.job AND last >= q.slot AND first <= q.slot
            LIMIT 1) IS NULL
          AND (q.overlap = 'allow' OR (SELECT true FROM takt.slot
            WHERE cluster = p_cluster AND job = q.job AND state = 'claimed' LIMIT 1) IS NULL)
      ), claimed AS (
        INSERT INTO takt.slot (cluster, job, slot, state, attempt, token, member, machine,
          is_at_least_once, overlap, valid_until, claimed_at, claim_lease_left)
        SELECT p_cluster, job, slot, 'claimed', 1, token, p_member, p_machine,
          (r->>'atLeastOnce')::boolean, overlap, (r->>'validUntil')::bigint, p_now, p_lease_left
        FROM free
      ), counted AS (
        UPDATE takt.job SET ran_count = ran_count + 1
        WHERE ctid = ANY (ARRAY(SELECT row FROM free))
      )
      SELECT pg_catalog.jsonb_object_agg(e.place, CASE WHEN f.place IS NULL
        THEN pg_catalog.to_jsonb(e.token) ELSE takt.granted(e.token, 1) END) INTO v_answers
      FROM element e LEFT JOIN free f ON f.place = e.place WHERE e.token IS NOT NULL;
      RETURN v_answers;
    END
    $fn$;
    """
}
