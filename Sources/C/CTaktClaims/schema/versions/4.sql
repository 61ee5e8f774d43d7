-- Functions alone: claims of a wake in one statement.
INSERT INTO takt.version (number) VALUES (4) ON CONFLICT DO NOTHING;
