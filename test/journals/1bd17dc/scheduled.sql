-- do/holdfast-SessionObject/e77928f81f716c4a075b2c7cc20a2dcdddbe15349b9a3f70fc4dbdd50146eedb.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (2, '["ada","scheduled","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781501, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"15bb078da46044cb","agent":"scheduled"}');
INSERT INTO "events" VALUES (2, 0, 1795369781501, 'turn-started', 'eae6ce0ae0fc4b48', 137, '{"v":1,"type":"turn-started","turn":"eae6ce0ae0fc4b48","loopId":"eae6ce0ae0fc4b48","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 894253172016, 1795369781887, 'model-replied', 'eae6ce0ae0fc4b48', 167, '{"v":1,"type":"model-replied","turn":"eae6ce0ae0fc4b48","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 894253172016, 1795369781887, 'turn-ended', 'eae6ce0ae0fc4b48', 75, '{"v":1,"type":"turn-ended","turn":"eae6ce0ae0fc4b48","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 894253172016, '5852a870b7e348a7', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "inbox" VALUES (1, 'scheduled', 'b68e63b924a34939', '{"v":1,"type":"turn-started","turn":"b68e63b924a34939","loopId":"b68e63b924a34939","message":"In an hour.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "inbox" VALUES (2, 'scheduled', 'cae6ec8776dd44c4', '{"v":1,"type":"turn-started","turn":"cae6ec8776dd44c4","loopId":"cae6ec8776dd44c4","message":"In a year.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('start', 'b68e63b924a34939', 1795373381965);
INSERT INTO "agenda" VALUES ('start', 'cae6ec8776dd44c4', 1826473782044);
INSERT INTO "_cf_METADATA" VALUES (1, 1795373381965000000);
