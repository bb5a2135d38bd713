-- do/holdfast-SessionObject/28561ccd531f3276d18509b8b9516827d2aef089c142573ed69293e67360daed.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","failed","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346794, 'session-opened', '', 81, NULL, '{"v":1,"type":"session-opened","incarnation":"8dcc7ee5f1e94f1e","agent":"failed"}');
INSERT INTO "events" VALUES (2, 0, 1795939346794, 'turn-started', '43f9bbe9631949ee', 137, NULL, '{"v":1,"type":"turn-started","turn":"43f9bbe9631949ee","loopId":"43f9bbe9631949ee","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 228680415108, 1795939347319, 'model-replied tool-call-started', '43f9bbe9631949ee', 409, '303 106', '{"v":1,"type":"model-replied","turn":"43f9bbe9631949ee","model":"scripted","text":"","toolCalls":[{"id":"43f9bbe9631949ee.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"43f9bbe9631949ee","call":"43f9bbe9631949ee.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 228680415108, 1795939347524, 'tool-call-ended', '43f9bbe9631949ee', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"43f9bbe9631949ee","call":"43f9bbe9631949ee.3.0","result":{"type":"text","content":"look_up is done"},"ms":195}');
INSERT INTO "events" VALUES (6, 228680415108, 1795939347639, 'turn-ended', '43f9bbe9631949ee', 170, NULL, '{"v":1,"type":"turn-ended","turn":"43f9bbe9631949ee","outcome":"failed","error":{"type":"model-failure","message":"The model''s server answered 400: This model is gone."}}');
INSERT INTO "lease" VALUES (1, 228680415108, 'a652411650594640', NULL, 'free', 'started', 0, 0, 1795939347639, 6, 1795939346794, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
