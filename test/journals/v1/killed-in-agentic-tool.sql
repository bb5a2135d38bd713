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
INSERT INTO "events" VALUES (1, 0, 1795932561767, 'session-opened', '', 97, '{"v":1,"type":"session-opened","incarnation":"7067c54f00384eb7","agent":"killed-in-agentic-tool"}');
INSERT INTO "events" VALUES (2, 0, 1795932561767, 'turn-started', 'd4bba5849dda443d', 137, '{"v":1,"type":"turn-started","turn":"d4bba5849dda443d","loopId":"d4bba5849dda443d","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 813596881982, 1795932563327, 'model-replied', 'd4bba5849dda443d', 316, '{"v":1,"type":"model-replied","turn":"d4bba5849dda443d","model":"scripted","text":"","toolCalls":[{"id":"d4bba5849dda443d.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"4g8yfs"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 813596881982, 1795932563327, 'frame-started', 'd4bba5849dda443d', 132, '{"v":1,"type":"frame-started","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.3.0","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (5, 813596881982, 1795932563761, 'model-replied', 'd4bba5849dda443d', 335, '{"v":1,"type":"model-replied","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.3.0","model":"scripted","text":"","toolCalls":[{"id":"d4bba5849dda443d.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 813596881982, 1795932563761, 'tool-call-started', 'd4bba5849dda443d', 137, '{"v":1,"type":"tool-call-started","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.3.0","call":"d4bba5849dda443d.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 813596881982, 1795932564230, 'tool-call-ended', 'd4bba5849dda443d', 181, '{"v":1,"type":"tool-call-ended","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.3.0","call":"d4bba5849dda443d.5.0","result":{"type":"text","content":"look_up is done"},"ms":415}');
INSERT INTO "events" VALUES (8, 813596881982, 1795932564614, 'model-replied', 'd4bba5849dda443d', 350, '{"v":1,"type":"model-replied","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.3.0","model":"scripted","text":"","toolCalls":[{"id":"d4bba5849dda443d.8.0","providerId":"call_1_0","name":"deeper","input":"{\"task\":\"pay\"}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"18h65cd"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 813596881982, 1795932564614, 'frame-started', 'd4bba5849dda443d', 166, '{"v":1,"type":"frame-started","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.8.0","parent":"d4bba5849dda443d.3.0","name":"deeper","message":"{\"task\":\"pay\"}"}');
INSERT INTO "events" VALUES (10, 813596881982, 1795932564853, 'model-replied', 'd4bba5849dda443d', 417, '{"v":1,"type":"model-replied","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.8.0","model":"scripted","text":"","toolCalls":[{"id":"d4bba5849dda443d.10.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"d4bba5849dda443d.10.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1dla8yw","tools":"12nilhr"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 813596881982, 1795932564853, 'tool-call-started', 'd4bba5849dda443d', 138, '{"v":1,"type":"tool-call-started","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.8.0","call":"d4bba5849dda443d.10.0","effect":"once"}');
INSERT INTO "events" VALUES (12, 813596881982, 1795932564853, 'tool-call-started', 'd4bba5849dda443d', 144, '{"v":1,"type":"tool-call-started","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.8.0","call":"d4bba5849dda443d.10.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (13, 813596881982, 1795932565083, 'tool-call-ended', 'd4bba5849dda443d', 179, '{"v":1,"type":"tool-call-ended","turn":"d4bba5849dda443d","frame":"d4bba5849dda443d.8.0","call":"d4bba5849dda443d.10.1","result":{"type":"text","content":"mail is done"},"ms":162}');
INSERT INTO "lease" VALUES (1, 813596881982, '732f8373bd284993', 'd4bba5849dda443d', 'held', 'started', 0, 0, 1795932571731, 13, 1795932562733, 0, '', 0);
INSERT INTO "agenda" VALUES ('turn', 'd4bba5849dda443d', 1795932582733);
INSERT INTO "_cf_METADATA" VALUES (1, 1795932582733000000);
