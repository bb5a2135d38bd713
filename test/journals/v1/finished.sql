-- do/holdfast-SessionObject/4a0b1c963af6d0b4e952bced0df13558508bb5643523a8efa747606db167cc4f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","finished","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932560791, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"a609b3d396bd4c5a","agent":"finished"}');
INSERT INTO "events" VALUES (2, 0, 1795932560791, 'turn-started', '8e00f521959646af', 137, '{"v":1,"type":"turn-started","turn":"8e00f521959646af","loopId":"8e00f521959646af","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 853309447131, 1795932562867, 'model-replied', '8e00f521959646af', 408, '{"v":1,"type":"model-replied","turn":"8e00f521959646af","model":"scripted","text":"","toolCalls":[{"id":"8e00f521959646af.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"8e00f521959646af.3.1","providerId":"call_0_1","name":"file_order","input":"{\"item\":\"shell\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 853309447131, 1795932562867, 'tool-call-started', '8e00f521959646af', 106, '{"v":1,"type":"tool-call-started","turn":"8e00f521959646af","call":"8e00f521959646af.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 853309447131, 1795932562867, 'tool-call-started', '8e00f521959646af', 112, '{"v":1,"type":"tool-call-started","turn":"8e00f521959646af","call":"8e00f521959646af.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 853309447131, 1795932563325, 'tool-call-ended', '8e00f521959646af', 273, '{"v":1,"type":"tool-call-ended","turn":"8e00f521959646af","call":"8e00f521959646af.3.1","result":{"type":"artifact","content":"Filed shell.","value":{"item":"shell","team":"blue"}},"ms":345,"changes":{"blackboard":[{"name":"order","value":{"item":"shell","team":"blue"}}]}}');
INSERT INTO "events" VALUES (7, 853309447131, 1795932563325, 'tool-call-ended', '8e00f521959646af', 150, '{"v":1,"type":"tool-call-ended","turn":"8e00f521959646af","call":"8e00f521959646af.3.0","result":{"type":"text","content":"look_up is done"},"ms":369}');
INSERT INTO "events" VALUES (8, 853309447131, 1795932563679, 'model-replied', '8e00f521959646af', 314, '{"v":1,"type":"model-replied","turn":"8e00f521959646af","model":"scripted","text":"","toolCalls":[{"id":"8e00f521959646af.8.0","providerId":"call_1_0","name":"charge","input":"{\"amount\":5}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 853309447131, 1795932563679, 'tool-call-started', '8e00f521959646af', 106, '{"v":1,"type":"tool-call-started","turn":"8e00f521959646af","call":"8e00f521959646af.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 853309447131, 1795932564234, 'tool-call-ended', '8e00f521959646af', 149, '{"v":1,"type":"tool-call-ended","turn":"8e00f521959646af","call":"8e00f521959646af.8.0","result":{"type":"text","content":"charge is done"},"ms":383}');
INSERT INTO "events" VALUES (11, 853309447131, 1795932564563, 'model-replied', '8e00f521959646af', 222, '{"v":1,"type":"model-replied","turn":"8e00f521959646af","model":"scripted","text":"Charged.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 853309447131, 1795932564563, 'turn-ended', '8e00f521959646af', 75, '{"v":1,"type":"turn-ended","turn":"8e00f521959646af","outcome":"completed"}');
INSERT INTO "events" VALUES (13, 0, 1795932564787, 'turn-started', '701d23c0d7a4425b', 152, '{"v":1,"type":"turn-started","turn":"701d23c0d7a4425b","loopId":"701d23c0d7a4425b","message":"Again.","context":{"team":"red"},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (14, 853309447132, 1795932564932, 'model-replied', '701d23c0d7a4425b', 385, '{"v":1,"type":"model-replied","turn":"701d23c0d7a4425b","model":"scripted","text":"","toolCalls":[{"id":"701d23c0d7a4425b.14.0","providerId":"call_3_0","name":"count","input":"{}"},{"id":"701d23c0d7a4425b.14.1","providerId":"call_3_1","name":"count","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 853309447132, 1795932564932, 'tool-call-started', '701d23c0d7a4425b', 113, '{"v":1,"type":"tool-call-started","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.14.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (16, 853309447132, 1795932564969, 'message-sent', '701d23c0d7a4425b', 127, '{"v":1,"type":"message-sent","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.14.0","text":"That was call 1.","tool":"count"}');
INSERT INTO "events" VALUES (17, 853309447132, 1795932564969, 'tool-call-ended', '701d23c0d7a4425b', 259, '{"v":1,"type":"tool-call-ended","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.14.0","result":{"type":"artifact","value":{"counted":1,"onBoard":1}},"ms":0,"changes":{"state":{"counted":1},"blackboard":[{"name":"count","value":{"counted":1,"onBoard":1}}]}}');
INSERT INTO "events" VALUES (18, 853309447132, 1795932564969, 'tool-call-started', '701d23c0d7a4425b', 113, '{"v":1,"type":"tool-call-started","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.14.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (19, 853309447132, 1795932564986, 'message-sent', '701d23c0d7a4425b', 127, '{"v":1,"type":"message-sent","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.14.1","text":"That was call 2.","tool":"count"}');
INSERT INTO "events" VALUES (20, 853309447132, 1795932564986, 'tool-call-ended', '701d23c0d7a4425b', 259, '{"v":1,"type":"tool-call-ended","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.14.1","result":{"type":"artifact","value":{"counted":2,"onBoard":2}},"ms":0,"changes":{"state":{"counted":2},"blackboard":[{"name":"count","value":{"counted":2,"onBoard":2}}]}}');
INSERT INTO "events" VALUES (21, 853309447132, 1795932565151, 'model-replied', '701d23c0d7a4425b', 325, '{"v":1,"type":"model-replied","turn":"701d23c0d7a4425b","model":"scripted","text":"","toolCalls":[{"id":"701d23c0d7a4425b.21.0","providerId":"call_4_0","name":"file_order","input":"{\"item\":\"stone\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 853309447132, 1795932565151, 'tool-call-started', '701d23c0d7a4425b', 113, '{"v":1,"type":"tool-call-started","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.21.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (23, 853309447132, 1795932565423, 'tool-call-ended', '701d23c0d7a4425b', 272, '{"v":1,"type":"tool-call-ended","turn":"701d23c0d7a4425b","call":"701d23c0d7a4425b.21.0","result":{"type":"artifact","content":"Filed stone.","value":{"item":"stone","team":"red"}},"ms":215,"changes":{"blackboard":[{"name":"order","value":{"item":"stone","team":"red"}}]}}');
INSERT INTO "events" VALUES (24, 853309447132, 1795932565509, 'model-replied', '701d23c0d7a4425b', 222, '{"v":1,"type":"model-replied","turn":"701d23c0d7a4425b","model":"scripted","text":"Counted.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (25, 853309447132, 1795932565509, 'turn-ended', '701d23c0d7a4425b', 75, '{"v":1,"type":"turn-ended","turn":"701d23c0d7a4425b","outcome":"completed"}');
INSERT INTO "events" VALUES (26, 0, 1795932565594, 'turn-started', '2f766db25cd74bbb', 141, '{"v":1,"type":"turn-started","turn":"2f766db25cd74bbb","loopId":"2f766db25cd74bbb","message":"Thanks.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (27, 853309447133, 1795932565659, 'model-replied', '2f766db25cd74bbb', 230, '{"v":1,"type":"model-replied","turn":"2f766db25cd74bbb","model":"scripted","text":"You are welcome.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (28, 853309447133, 1795932565659, 'turn-ended', '2f766db25cd74bbb', 75, '{"v":1,"type":"turn-ended","turn":"2f766db25cd74bbb","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 853309447133, '5c3148516e18493b', NULL, 'free', 'started', 0, 0, 1795932565659, 28, 1795932565594, 0, '', 0);
INSERT INTO "requests" VALUES ('again-1', '53a3bbafa86b81127b60c60a95f96d5ba5b6cd5a481f4291192a02b2dab56e80', '701d23c0d7a4425b', 13, 1796018964787);
INSERT INTO "agenda" VALUES ('retention', '2592000000', 1798524565659);
INSERT INTO "_cf_METADATA" VALUES (1, 1798524565659000000);
