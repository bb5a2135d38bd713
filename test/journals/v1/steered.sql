-- do/holdfast-SessionObject/b70873bd3f00bc1e8a7c94132f201ff6a020fdf35583569ce5996e9864210523.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, body TEXT);
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
INSERT INTO "events" VALUES (1, 0, 1795932561808, 'session-opened', '', 82, '{"v":1,"type":"session-opened","incarnation":"37b3bf5657944f9c","agent":"steered"}');
INSERT INTO "events" VALUES (2, 0, 1795932561808, 'turn-started', '85ab788f792a42df', 137, '{"v":1,"type":"turn-started","turn":"85ab788f792a42df","loopId":"85ab788f792a42df","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 150183718455, 1795932563271, 'model-replied', '85ab788f792a42df', 303, '{"v":1,"type":"model-replied","turn":"85ab788f792a42df","model":"scripted","text":"","toolCalls":[{"id":"85ab788f792a42df.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 150183718455, 1795932563271, 'tool-call-started', '85ab788f792a42df', 112, '{"v":1,"type":"tool-call-started","turn":"85ab788f792a42df","call":"85ab788f792a42df.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 150183718455, 1795932564027, 'tool-call-ended', '85ab788f792a42df', 150, '{"v":1,"type":"tool-call-ended","turn":"85ab788f792a42df","call":"85ab788f792a42df.3.0","result":{"type":"text","content":"look_up is done"},"ms":641}');
INSERT INTO "events" VALUES (6, 150183718455, 1795932564431, 'model-replied', '85ab788f792a42df', 219, '{"v":1,"type":"model-replied","turn":"85ab788f792a42df","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 150183718455, 1795932564431, 'turn-steered', '85ab788f792a42df', 129, '{"v":1,"type":"turn-steered","turn":"85ab788f792a42df","as":"389a405bca384632","message":"To the left.","principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (8, 150183718455, 1795932564703, 'model-replied', '85ab788f792a42df', 224, '{"v":1,"type":"model-replied","turn":"85ab788f792a42df","model":"scripted","text":"Gone left.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 150183718455, 1795932564703, 'turn-ended', '85ab788f792a42df', 75, '{"v":1,"type":"turn-ended","turn":"85ab788f792a42df","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795932565001, 'turn-started', 'd4892a9b58f84a6b', 140, '{"v":1,"type":"turn-started","turn":"d4892a9b58f84a6b","loopId":"d4892a9b58f84a6b","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 150183718456, 1795932565273, 'model-replied', 'd4892a9b58f84a6b', 304, '{"v":1,"type":"model-replied","turn":"d4892a9b58f84a6b","model":"scripted","text":"","toolCalls":[{"id":"d4892a9b58f84a6b.11.0","providerId":"call_3_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 150183718456, 1795932565273, 'tool-call-started', 'd4892a9b58f84a6b', 113, '{"v":1,"type":"tool-call-started","turn":"d4892a9b58f84a6b","call":"d4892a9b58f84a6b.11.0","effect":"idempotent"}');
INSERT INTO "lease" VALUES (1, 150183718456, '6bc00423422c4c0c', 'd4892a9b58f84a6b', 'held', 'started', 0, 0, 1795932572942, 12, 1795932565104, 0, '', 0);
INSERT INTO "requests" VALUES ('steered 389a405bca384632', '', '85ab788f792a42df', 7, 8640000000000000);
INSERT INTO "inbox" VALUES (2, 'steer', 'a3bd8a8f438646d2', '{"v":1,"type":"turn-started","turn":"a3bd8a8f438646d2","loopId":"a3bd8a8f438646d2","message":"To the right.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "agenda" VALUES ('turn', 'd4892a9b58f84a6b', 1795932585104);
INSERT INTO "_cf_METADATA" VALUES (1, 1795932585104000000);
