-- do/holdfast-SessionObject/b70873bd3f00bc1e8a7c94132f201ff6a020fdf35583569ce5996e9864210523.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","steered","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346786, 'session-opened', '', 82, NULL, '{"v":1,"type":"session-opened","incarnation":"e8287e015f324176","agent":"steered"}');
INSERT INTO "events" VALUES (2, 0, 1795939346786, 'turn-started', '74bc1e0c6b43497f', 137, NULL, '{"v":1,"type":"turn-started","turn":"74bc1e0c6b43497f","loopId":"74bc1e0c6b43497f","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 328470839276, 1795939347368, 'model-replied tool-call-started', '74bc1e0c6b43497f', 415, '303 112', '{"v":1,"type":"model-replied","turn":"74bc1e0c6b43497f","model":"scripted","text":"","toolCalls":[{"id":"74bc1e0c6b43497f.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"74bc1e0c6b43497f","call":"74bc1e0c6b43497f.3.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (5, 328470839276, 1795939347733, 'tool-call-ended', '74bc1e0c6b43497f', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"74bc1e0c6b43497f","call":"74bc1e0c6b43497f.3.0","result":{"type":"text","content":"look_up is done"},"ms":329}');
INSERT INTO "events" VALUES (7, 328470839276, 1795939347884, 'model-replied turn-steered', '74bc1e0c6b43497f', 348, '219 129', '{"v":1,"type":"model-replied","turn":"74bc1e0c6b43497f","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-steered","turn":"74bc1e0c6b43497f","as":"6592ca2bac354b49","message":"To the left.","principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 328470839276, 1795939347953, 'model-replied turn-ended', '74bc1e0c6b43497f', 299, '224 75', '{"v":1,"type":"model-replied","turn":"74bc1e0c6b43497f","model":"scripted","text":"Gone left.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"turn-ended","turn":"74bc1e0c6b43497f","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795939348044, 'turn-started', 'd208a82788f1488f', 140, NULL, '{"v":1,"type":"turn-started","turn":"d208a82788f1488f","loopId":"d208a82788f1488f","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (12, 328470839277, 1795939348162, 'model-replied tool-call-started', 'd208a82788f1488f', 417, '304 113', '{"v":1,"type":"model-replied","turn":"d208a82788f1488f","model":"scripted","text":"","toolCalls":[{"id":"d208a82788f1488f.11.0","providerId":"call_3_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"d208a82788f1488f","call":"d208a82788f1488f.11.0","effect":"idempotent"}');
INSERT INTO "lease" VALUES (1, 328470839277, 'ef5bc4e171b94a25', 'd208a82788f1488f', 'held', 'started', 0, 0, 1795939355831, 12, 1795939348080, 0, '', 0, 1795939368080, 0);
INSERT INTO "requests" VALUES ('steered 6592ca2bac354b49', '', '74bc1e0c6b43497f', 7, 8640000000000000);
INSERT INTO "inbox" VALUES (2, 'steer', '491610071666474f', '{"v":1,"type":"turn-started","turn":"491610071666474f","loopId":"491610071666474f","message":"To the right.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "_cf_METADATA" VALUES (1, 1795939368080000000);
