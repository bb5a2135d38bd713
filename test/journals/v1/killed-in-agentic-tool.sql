-- do/holdfast-SessionObject/3ed2fa7132c117ea0424b5520d3fed33571270950f1be005a71acfa22265a6ec.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-agentic-tool","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346775, 'session-opened', '', 97, NULL, '{"v":1,"type":"session-opened","incarnation":"4f3b28789af84408","agent":"killed-in-agentic-tool"}');
INSERT INTO "events" VALUES (2, 0, 1795939346775, 'turn-started', '7b8382e4d1154850', 137, NULL, '{"v":1,"type":"turn-started","turn":"7b8382e4d1154850","loopId":"7b8382e4d1154850","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 833171549597, 1795939347359, 'model-replied frame-started', '7b8382e4d1154850', 448, '316 132', '{"v":1,"type":"model-replied","turn":"7b8382e4d1154850","model":"scripted","text":"","toolCalls":[{"id":"7b8382e4d1154850.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"4g8yfs"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"frame-started","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.3.0","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (6, 833171549597, 1795939347550, 'model-replied tool-call-started', '7b8382e4d1154850', 472, '335 137', '{"v":1,"type":"model-replied","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.3.0","model":"scripted","text":"","toolCalls":[{"id":"7b8382e4d1154850.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.3.0","call":"7b8382e4d1154850.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 833171549597, 1795939347708, 'tool-call-ended', '7b8382e4d1154850', 181, NULL, '{"v":1,"type":"tool-call-ended","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.3.0","call":"7b8382e4d1154850.5.0","result":{"type":"text","content":"look_up is done"},"ms":146}');
INSERT INTO "events" VALUES (9, 833171549597, 1795939347848, 'model-replied frame-started', '7b8382e4d1154850', 516, '350 166', '{"v":1,"type":"model-replied","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.3.0","model":"scripted","text":"","toolCalls":[{"id":"7b8382e4d1154850.8.0","providerId":"call_1_0","name":"deeper","input":"{\"task\":\"pay\"}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"frame-started","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.8.0","parent":"7b8382e4d1154850.3.0","name":"deeper","message":"{\"task\":\"pay\"}"}');
INSERT INTO "events" VALUES (12, 833171549597, 1795939347939, 'model-replied tool-call-started tool-call-started', '7b8382e4d1154850', 699, '417 138 144', '{"v":1,"type":"model-replied","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.8.0","model":"scripted","text":"","toolCalls":[{"id":"7b8382e4d1154850.10.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"7b8382e4d1154850.10.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1dla8yw","tools":"12nilhr"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.8.0","call":"7b8382e4d1154850.10.0","effect":"once"}{"v":1,"type":"tool-call-started","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.8.0","call":"7b8382e4d1154850.10.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (13, 833171549597, 1795939348017, 'tool-call-ended', '7b8382e4d1154850', 178, NULL, '{"v":1,"type":"tool-call-ended","turn":"7b8382e4d1154850","frame":"7b8382e4d1154850.8.0","call":"7b8382e4d1154850.10.1","result":{"type":"text","content":"mail is done"},"ms":64}');
INSERT INTO "lease" VALUES (1, 833171549597, '9559ce00e47a4e5a', '7b8382e4d1154850', 'held', 'started', 0, 0, 1795939361348, 13, 1795939347037, 0, '', 0, 1795939367037, 0);
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367037000000);
