-- do/holdfast-SessionObject/7fd01e12cb614ca5f6dbc526920fa38fe974ec504b00fa4ed4d0b9db853fb347.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","budgeted","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346792, 'session-opened', '', 83, NULL, '{"v":1,"type":"session-opened","incarnation":"2590804d985b4abc","agent":"budgeted"}');
INSERT INTO "events" VALUES (2, 0, 1795939346792, 'turn-started', '96f1f9b32ca344ee', 137, NULL, '{"v":1,"type":"turn-started","turn":"96f1f9b32ca344ee","loopId":"96f1f9b32ca344ee","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 974262704787, 1795939346907, 'module-event', '96f1f9b32ca344ee', 278, NULL, '{"v":1,"type":"module-event","turn":"96f1f9b32ca344ee","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":5,"tools":1285,"messages":1,"text":44}},"at":1795939346882}]}');
INSERT INTO "events" VALUES (5, 974262704787, 1795939347356, 'model-replied tool-call-started', '96f1f9b32ca344ee', 424, '318 106', '{"v":1,"type":"model-replied","turn":"96f1f9b32ca344ee","model":"scripted","text":"","toolCalls":[{"id":"96f1f9b32ca344ee.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"tool-call-started","turn":"96f1f9b32ca344ee","call":"96f1f9b32ca344ee.4.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 974262704787, 1795939347527, 'tool-call-ended module-event', '96f1f9b32ca344ee', 428, '150 278', '{"v":1,"type":"tool-call-ended","turn":"96f1f9b32ca344ee","call":"96f1f9b32ca344ee.4.0","result":{"type":"text","content":"look_up is done"},"ms":220}{"v":1,"type":"module-event","turn":"96f1f9b32ca344ee","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":5,"tools":1285,"messages":3,"text":241}},"at":1795939347512}]}');
INSERT INTO "events" VALUES (12, 974262704787, 1795939347678, 'model-replied frame-started model-refused tool-call-ended module-event', '96f1f9b32ca344ee', 1121, '331 132 166 214 278', '{"v":1,"type":"model-replied","turn":"96f1f9b32ca344ee","model":"scripted","text":"","toolCalls":[{"id":"96f1f9b32ca344ee.8.0","providerId":"call_1_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"frame-started","turn":"96f1f9b32ca344ee","frame":"96f1f9b32ca344ee.8.0","name":"work","message":"{\"task\":\"buy\"}"}{"v":1,"type":"model-refused","turn":"96f1f9b32ca344ee","frame":"96f1f9b32ca344ee.8.0","limit":"tokens","of":"96f1f9b32ca344ee.8.0","most":500,"used":0,"needed":1645}{"v":1,"type":"tool-call-ended","turn":"96f1f9b32ca344ee","call":"96f1f9b32ca344ee.8.0","result":{"type":"text","content":"Stopped: the limit of 500 tokens was reached before there was an answer.","withheld":true}}{"v":1,"type":"module-event","turn":"96f1f9b32ca344ee","module":"budgets","facts":[{"slice":"budgets","fact":{"reserved":{"inputTokens":364,"outputTokens":4096,"cost":0.041324},"request":{"model":"scripted","system":5,"tools":1285,"messages":5,"text":505}},"at":1795939347668}]}');
INSERT INTO "events" VALUES (14, 974262704787, 1795939347820, 'model-replied turn-ended', '96f1f9b32ca344ee', 311, '236 75', '{"v":1,"type":"model-replied","turn":"96f1f9b32ca344ee","model":"scripted","text":"Bought.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}{"v":1,"type":"turn-ended","turn":"96f1f9b32ca344ee","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 974262704787, '726852af90ce4e71', NULL, 'free', 'started', 0, 0, 1795939347820, 14, 1795939346792, 0, '', 0, NULL, 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
