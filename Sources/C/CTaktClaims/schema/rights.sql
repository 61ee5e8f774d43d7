-- New functions may be called by all; only two are for clients.
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA takt FROM PUBLIC;
