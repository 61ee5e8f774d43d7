-- A version of functions alone has no file of its own.
INSERT INTO takt.version (number) VALUES (:takt_version) ON CONFLICT DO NOTHING;
-- New functions may be called by all; only two are for clients.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA takt FROM PUBLIC;
