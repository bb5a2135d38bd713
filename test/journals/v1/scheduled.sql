-- do/holdfast-SessionObject/e77928f81f716c4a075b2c7cc20a2dcdddbe15349b9a3f70fc4dbdd50146eedb.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL);
CREATE TABLE requests (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, turn TEXT NOT NULL, seq INTEGER NOT NULL,
expires INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX expiries ON requests (expires);
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (kind TEXT NOT NULL, ref TEXT NOT NULL, due INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID;
CREATE TABLE chunks (owner TEXT NOT NULL, seq INTEGER NOT NULL, part INTEGER NOT NULL, reducer INTEGER,
messages_from INTEGER NOT NULL DEFAULT 1, body BLOB NOT NULL, PRIMARY KEY (owner, seq, part));
CREATE TABLE blobs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, about TEXT NOT NULL, size INTEGER NOT NULL,
here INTEGER NOT NULL, outside INTEGER NOT NULL, at INTEGER NOT NULL, gone TEXT,
version INTEGER NOT NULL DEFAULT 0, deleted INTEGER NOT NULL DEFAULT 0);
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (1, '["ada","scheduled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939404, 'session-opened', '', 84, NULL, '{"v":1,"type":"session-opened","incarnation":"71a261c01ffd45b0","agent":"scheduled"}');
INSERT INTO "events" VALUES (2, 0, 1795936939404, 'turn-started', '7d7b1cdb163c4d02', 137, NULL, '{"v":1,"type":"turn-started","turn":"7d7b1cdb163c4d02","loopId":"7d7b1cdb163c4d02","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 42501840672, 1795936939839, 'model-replied turn-ended', '7d7b1cdb163c4d02', 294, '219 75', '{"v":1,"type":"model-replied","turn":"7d7b1cdb163c4d02","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"7d7b1cdb163c4d02","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 42501840672, 'b6d1fe6e1a534302', NULL, 'free', 'started', 0, 0, 1795936939839, 4, 1795936939404, 0, '', 0);
INSERT INTO "inbox" VALUES (1, 'scheduled', '41ab66b41b5b4f66', '{"v":1,"type":"turn-started","turn":"41ab66b41b5b4f66","loopId":"41ab66b41b5b4f66","message":"In an hour.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'scheduled', '72c4f995f25747f6', '{"v":1,"type":"turn-started","turn":"72c4f995f25747f6","loopId":"72c4f995f25747f6","message":"In a year.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('start', '41ab66b41b5b4f66', 1795940540002);
INSERT INTO "agenda" VALUES ('start', '72c4f995f25747f6', 1827040940216);
INSERT INTO "_cf_METADATA" VALUES (1, 1795940540002000000);
