-- do/holdfast-SessionObject/e77928f81f716c4a075b2c7cc20a2dcdddbe15349b9a3f70fc4dbdd50146eedb.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
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
INSERT INTO "events" VALUES (1, 0, 1795939346785, 'session-opened', '', 84, NULL, '{"v":1,"type":"session-opened","incarnation":"467076f5e4314d22","agent":"scheduled"}');
INSERT INTO "events" VALUES (2, 0, 1795939346785, 'turn-started', '67922aa95a714f98', 137, NULL, '{"v":1,"type":"turn-started","turn":"67922aa95a714f98","loopId":"67922aa95a714f98","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 734071027797, 1795939347255, 'model-replied turn-ended', '67922aa95a714f98', 294, '219 75', '{"v":1,"type":"model-replied","turn":"67922aa95a714f98","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"67922aa95a714f98","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 734071027797, '886a944f7a35416a', NULL, 'free', 'started', 0, 0, 1795939347255, 4, 1795939346785, 0, '', 0, NULL, 0);
INSERT INTO "inbox" VALUES (1, 'scheduled', '5672765d3f2e4997', '{"v":1,"type":"turn-started","turn":"5672765d3f2e4997","loopId":"5672765d3f2e4997","message":"In an hour.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'scheduled', '23fa1af41b7449ca', '{"v":1,"type":"turn-started","turn":"23fa1af41b7449ca","loopId":"23fa1af41b7449ca","message":"In a year.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('start', '23fa1af41b7449ca', 1827043347591);
INSERT INTO "agenda" VALUES ('start', '5672765d3f2e4997', 1795942947421);
INSERT INTO "_cf_METADATA" VALUES (1, 1795942947421000000);
