-- do/holdfast-SessionObject/3ed2fa7132c117ea0424b5520d3fed33571270950f1be005a71acfa22265a6ec.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-agentic-tool","s"]');
INSERT INTO "events" VALUES (1, 0, 1795936939389, 'session-opened', '', 97, NULL, '{"v":1,"type":"session-opened","incarnation":"8224a7bae4e64ff6","agent":"killed-in-agentic-tool"}');
INSERT INTO "events" VALUES (2, 0, 1795936939389, 'turn-started', 'effd964afe7c4812', 137, NULL, '{"v":1,"type":"turn-started","turn":"effd964afe7c4812","loopId":"effd964afe7c4812","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (4, 22113555087, 1795936939980, 'model-replied frame-started', 'effd964afe7c4812', 448, '316 132', '{"v":1,"type":"model-replied","turn":"effd964afe7c4812","model":"scripted","text":"","toolCalls":[{"id":"effd964afe7c4812.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"4g8yfs"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"frame-started","turn":"effd964afe7c4812","frame":"effd964afe7c4812.3.0","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (6, 22113555087, 1795936940177, 'model-replied tool-call-started', 'effd964afe7c4812', 472, '335 137', '{"v":1,"type":"model-replied","turn":"effd964afe7c4812","frame":"effd964afe7c4812.3.0","model":"scripted","text":"","toolCalls":[{"id":"effd964afe7c4812.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"effd964afe7c4812","frame":"effd964afe7c4812.3.0","call":"effd964afe7c4812.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 22113555087, 1795936940358, 'tool-call-ended', 'effd964afe7c4812', 181, NULL, '{"v":1,"type":"tool-call-ended","turn":"effd964afe7c4812","frame":"effd964afe7c4812.3.0","call":"effd964afe7c4812.5.0","result":{"type":"text","content":"look_up is done"},"ms":172}');
INSERT INTO "events" VALUES (9, 22113555087, 1795936940568, 'model-replied frame-started', 'effd964afe7c4812', 516, '350 166', '{"v":1,"type":"model-replied","turn":"effd964afe7c4812","frame":"effd964afe7c4812.3.0","model":"scripted","text":"","toolCalls":[{"id":"effd964afe7c4812.8.0","providerId":"call_1_0","name":"deeper","input":"{\"task\":\"pay\"}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"frame-started","turn":"effd964afe7c4812","frame":"effd964afe7c4812.8.0","parent":"effd964afe7c4812.3.0","name":"deeper","message":"{\"task\":\"pay\"}"}');
INSERT INTO "events" VALUES (12, 22113555087, 1795936940656, 'model-replied tool-call-started tool-call-started', 'effd964afe7c4812', 699, '417 138 144', '{"v":1,"type":"model-replied","turn":"effd964afe7c4812","frame":"effd964afe7c4812.8.0","model":"scripted","text":"","toolCalls":[{"id":"effd964afe7c4812.10.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"effd964afe7c4812.10.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1dla8yw","tools":"12nilhr"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"effd964afe7c4812","frame":"effd964afe7c4812.8.0","call":"effd964afe7c4812.10.0","effect":"once"}{"v":1,"type":"tool-call-started","turn":"effd964afe7c4812","frame":"effd964afe7c4812.8.0","call":"effd964afe7c4812.10.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (13, 22113555087, 1795936940767, 'tool-call-ended', 'effd964afe7c4812', 178, NULL, '{"v":1,"type":"tool-call-ended","turn":"effd964afe7c4812","frame":"effd964afe7c4812.8.0","call":"effd964afe7c4812.10.1","result":{"type":"text","content":"mail is done"},"ms":79}');
INSERT INTO "lease" VALUES (1, 22113555087, '9bf3d42a08d9415f', 'effd964afe7c4812', 'held', 'started', 0, 0, 1795936954097, 13, 1795936939672, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', 'effd964afe7c4812', 1795936959672);
INSERT INTO "_cf_METADATA" VALUES (1, 1795936959672000000);
