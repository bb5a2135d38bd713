-- do/holdfast-SessionObject/3ed2fa7132c117ea0424b5520d3fed33571270950f1be005a71acfa22265a6ec.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-in-agentic-tool","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290552, 'session-opened', '', 97, '{"v":1,"type":"session-opened","incarnation":"4d6119e1c2b040f6","agent":"killed-in-agentic-tool"}');
INSERT INTO "events" VALUES (2, 0, 1795934290552, 'turn-started', '088fc0aac4ed4d42', 137, '{"v":1,"type":"turn-started","turn":"088fc0aac4ed4d42","loopId":"088fc0aac4ed4d42","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 138948130765, 1795934295441, 'model-replied', '088fc0aac4ed4d42', 316, '{"v":1,"type":"model-replied","turn":"088fc0aac4ed4d42","model":"scripted","text":"","toolCalls":[{"id":"088fc0aac4ed4d42.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"4g8yfs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 138948130765, 1795934295441, 'frame-started', '088fc0aac4ed4d42', 132, '{"v":1,"type":"frame-started","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.3.0","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (5, 138948130765, 1795934296581, 'model-replied', '088fc0aac4ed4d42', 335, '{"v":1,"type":"model-replied","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.3.0","model":"scripted","text":"","toolCalls":[{"id":"088fc0aac4ed4d42.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 138948130765, 1795934296581, 'tool-call-started', '088fc0aac4ed4d42', 137, '{"v":1,"type":"tool-call-started","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.3.0","call":"088fc0aac4ed4d42.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 138948130765, 1795934297559, 'tool-call-ended', '088fc0aac4ed4d42', 181, '{"v":1,"type":"tool-call-ended","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.3.0","call":"088fc0aac4ed4d42.5.0","result":{"type":"text","content":"look_up is done"},"ms":823}');
INSERT INTO "events" VALUES (8, 138948130765, 1795934298570, 'model-replied', '088fc0aac4ed4d42', 350, '{"v":1,"type":"model-replied","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.3.0","model":"scripted","text":"","toolCalls":[{"id":"088fc0aac4ed4d42.8.0","providerId":"call_1_0","name":"deeper","input":"{\"task\":\"pay\"}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 138948130765, 1795934298570, 'frame-started', '088fc0aac4ed4d42', 166, '{"v":1,"type":"frame-started","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.8.0","parent":"088fc0aac4ed4d42.3.0","name":"deeper","message":"{\"task\":\"pay\"}"}');
INSERT INTO "events" VALUES (10, 138948130765, 1795934299083, 'model-replied', '088fc0aac4ed4d42', 417, '{"v":1,"type":"model-replied","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.8.0","model":"scripted","text":"","toolCalls":[{"id":"088fc0aac4ed4d42.10.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"088fc0aac4ed4d42.10.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1dla8yw","tools":"12nilhr"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 138948130765, 1795934299083, 'tool-call-started', '088fc0aac4ed4d42', 138, '{"v":1,"type":"tool-call-started","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.8.0","call":"088fc0aac4ed4d42.10.0","effect":"once"}');
INSERT INTO "events" VALUES (12, 138948130765, 1795934299083, 'tool-call-started', '088fc0aac4ed4d42', 144, '{"v":1,"type":"tool-call-started","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.8.0","call":"088fc0aac4ed4d42.10.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (13, 138948130765, 1795934299578, 'tool-call-ended', '088fc0aac4ed4d42', 179, '{"v":1,"type":"tool-call-ended","turn":"088fc0aac4ed4d42","frame":"088fc0aac4ed4d42.8.0","call":"088fc0aac4ed4d42.10.1","result":{"type":"text","content":"mail is done"},"ms":361}');
INSERT INTO "events" VALUES (14, 138948130766, 1795934326564, 'turn-resumed', '088fc0aac4ed4d42', 73, '{"v":1,"type":"turn-resumed","turn":"088fc0aac4ed4d42","cause":"expired"}');
INSERT INTO "lease" VALUES (1, 138948130766, '6a5b4c45ce9f4219', '088fc0aac4ed4d42', 'held', 'expired', 1, 201, 1795934326428, 13, 1795934326428, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', '088fc0aac4ed4d42', 1795934346428);
INSERT INTO "_cf_METADATA" VALUES (1, 1795934346428000000);
