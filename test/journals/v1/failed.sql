-- do/holdfast-SessionObject/28561ccd531f3276d18509b8b9516827d2aef089c142573ed69293e67360daed.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","failed","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939417, 'session-opened', '', 81, NULL, '{"v":1,"type":"session-opened","incarnation":"275de5f602234cee","agent":"failed"}');
INSERT INTO "events" VALUES (2, 0, 1795936939417, 'turn-started', 'cced92332a2a4e76', 137, NULL, '{"v":1,"type":"turn-started","turn":"cced92332a2a4e76","loopId":"cced92332a2a4e76","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 56637647429, 1795936939896, 'model-replied tool-call-started', 'cced92332a2a4e76', 409, '303 106', '{"v":1,"type":"model-replied","turn":"cced92332a2a4e76","model":"scripted","text":"","toolCalls":[{"id":"cced92332a2a4e76.3.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"48z7hu"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"cced92332a2a4e76","call":"cced92332a2a4e76.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 56637647429, 1795936940122, 'tool-call-ended', 'cced92332a2a4e76', 150, NULL, '{"v":1,"type":"tool-call-ended","turn":"cced92332a2a4e76","call":"cced92332a2a4e76.3.0","result":{"type":"text","content":"look_up is done"},"ms":199}');
INSERT INTO "events" VALUES (6, 56637647429, 1795936940265, 'turn-ended', 'cced92332a2a4e76', 170, NULL, '{"v":1,"type":"turn-ended","turn":"cced92332a2a4e76","outcome":"failed","error":{"type":"model-failure","message":"The model''s server answered 400: This model is gone."}}');
INSERT INTO "lease" VALUES (1, 56637647429, '2ce63cc446dc4df9', NULL, 'free', 'started', 0, 0, 1795936940265, 6, 1795936939417, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
