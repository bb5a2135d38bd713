-- do/holdfast-SessionObject/b70873bd3f00bc1e8a7c94132f201ff6a020fdf35583569ce5996e9864210523.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","steered","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939405, 'session-opened', '', 82, NULL, '{"v":1,"type":"session-opened","incarnation":"ed8d5041b1594680","agent":"steered"}');
INSERT INTO "events" VALUES (2, 0, 1795936939405, 'turn-started', '7ac4caa6b36b4e18', 137, NULL, '{"v":1,"type":"turn-started","turn":"7ac4caa6b36b4e18","loopId":"7ac4caa6b36b4e18","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 982805970779, 1795936939935, 'model-replied tool-call-started', '7ac4caa6b36b4e18', 415, '303 112', '{"v":1,"type":"model-replied","turn":"7ac4caa6b36b4e18","model":"scripted","text":"","toolCalls":[{"id":"7ac4caa6b36b4e18.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"7ac4caa6b36b4e18","call":"7ac4caa6b36b4e18.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 982805970779, 1795936940324, 'tool-call-ended', '7ac4caa6b36b4e18', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"7ac4caa6b36b4e18","call":"7ac4caa6b36b4e18.3.0","result":{"type":"text","content":"look_up is done"},"ms":347}');
INSERT INTO "events" VALUES (7, 982805970779, 1795936940527, 'model-replied turn-steered', '7ac4caa6b36b4e18', 348, '219 129', '{"v":1,"type":"model-replied","turn":"7ac4caa6b36b4e18","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-steered","turn":"7ac4caa6b36b4e18","as":"9cf5dc9ffbc74de5","message":"To the left.","principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 982805970779, 1795936940628, 'model-replied turn-ended', '7ac4caa6b36b4e18', 299, '224 75', '{"v":1,"type":"model-replied","turn":"7ac4caa6b36b4e18","model":"scripted","text":"Gone left.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"7ac4caa6b36b4e18","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795936940839, 'turn-started', 'edae54a7649146ba', 140, NULL, '{"v":1,"type":"turn-started","turn":"edae54a7649146ba","loopId":"edae54a7649146ba","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 982805970780, 1795936940948, 'model-replied tool-call-started', 'edae54a7649146ba', 417, '304 113', '{"v":1,"type":"model-replied","turn":"edae54a7649146ba","model":"scripted","text":"","toolCalls":[{"id":"edae54a7649146ba.11.0","providerId":"call_3_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"edae54a7649146ba","call":"edae54a7649146ba.11.0","effect":"idempotent"}');
INSERT INTO "lease" VALUES (1, 982805970780, '568b7ad18a784ffc', 'edae54a7649146ba', 'held', 'started', 0, 0, 1795936948617, 12, 1795936940883, 0, '', 0);
INSERT INTO "requests" VALUES ('steered 9cf5dc9ffbc74de5', '', '7ac4caa6b36b4e18', 7, 8640000000000000);
INSERT INTO "inbox" VALUES (2, 'steer', '2981e02c228247dd', '{"v":1,"type":"turn-started","turn":"2981e02c228247dd","loopId":"2981e02c228247dd","message":"To the right.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('turn', 'edae54a7649146ba', 1795936960883);
INSERT INTO "_cf_METADATA" VALUES (1, 1795936960883000000);
