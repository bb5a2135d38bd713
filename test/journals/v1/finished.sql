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
INSERT INTO "events" VALUES (1, 0, 1795934288465, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"6deade864dba42b0","agent":"finished"}');
INSERT INTO "events" VALUES (2, 0, 1795934288465, 'turn-started', 'f541c49268e94d46', 137, '{"v":1,"type":"turn-started","turn":"f541c49268e94d46","loopId":"f541c49268e94d46","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 90011390977, 1795934293648, 'model-replied', 'f541c49268e94d46', 408, '{"v":1,"type":"model-replied","turn":"f541c49268e94d46","model":"scripted","text":"","toolCalls":[{"id":"f541c49268e94d46.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"f541c49268e94d46.3.1","providerId":"call_0_1","name":"file_order","input":"{\"item\":\"shell\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 90011390977, 1795934293648, 'tool-call-started', 'f541c49268e94d46', 106, '{"v":1,"type":"tool-call-started","turn":"f541c49268e94d46","call":"f541c49268e94d46.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 90011390977, 1795934293648, 'tool-call-started', 'f541c49268e94d46', 112, '{"v":1,"type":"tool-call-started","turn":"f541c49268e94d46","call":"f541c49268e94d46.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 90011390977, 1795934296287, 'tool-call-ended', 'f541c49268e94d46', 151, '{"v":1,"type":"tool-call-ended","turn":"f541c49268e94d46","call":"f541c49268e94d46.3.0","result":{"type":"text","content":"look_up is done"},"ms":2033}');
INSERT INTO "events" VALUES (7, 90011390977, 1795934296287, 'tool-call-ended', 'f541c49268e94d46', 274, '{"v":1,"type":"tool-call-ended","turn":"f541c49268e94d46","call":"f541c49268e94d46.3.1","result":{"type":"artifact","content":"Filed shell.","value":{"item":"shell","team":"blue"}},"ms":2005,"changes":{"blackboard":[{"name":"order","value":{"item":"shell","team":"blue"}}]}}');
INSERT INTO "events" VALUES (8, 90011390977, 1795934297037, 'model-replied', 'f541c49268e94d46', 314, '{"v":1,"type":"model-replied","turn":"f541c49268e94d46","model":"scripted","text":"","toolCalls":[{"id":"f541c49268e94d46.8.0","providerId":"call_1_0","name":"charge","input":"{\"amount\":5}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 90011390977, 1795934297037, 'tool-call-started', 'f541c49268e94d46', 106, '{"v":1,"type":"tool-call-started","turn":"f541c49268e94d46","call":"f541c49268e94d46.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 90011390977, 1795934298326, 'tool-call-ended', 'f541c49268e94d46', 149, '{"v":1,"type":"tool-call-ended","turn":"f541c49268e94d46","call":"f541c49268e94d46.8.0","result":{"type":"text","content":"charge is done"},"ms":815}');
INSERT INTO "events" VALUES (11, 90011390977, 1795934298858, 'model-replied', 'f541c49268e94d46', 222, '{"v":1,"type":"model-replied","turn":"f541c49268e94d46","model":"scripted","text":"Charged.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 90011390977, 1795934298858, 'turn-ended', 'f541c49268e94d46', 75, '{"v":1,"type":"turn-ended","turn":"f541c49268e94d46","outcome":"completed"}');
INSERT INTO "events" VALUES (13, 0, 1795934299332, 'turn-started', '99bfb7023c764bc9', 152, '{"v":1,"type":"turn-started","turn":"99bfb7023c764bc9","loopId":"99bfb7023c764bc9","message":"Again.","context":{"team":"red"},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (14, 90011390978, 1795934299759, 'model-replied', '99bfb7023c764bc9', 385, '{"v":1,"type":"model-replied","turn":"99bfb7023c764bc9","model":"scripted","text":"","toolCalls":[{"id":"99bfb7023c764bc9.14.0","providerId":"call_3_0","name":"count","input":"{}"},{"id":"99bfb7023c764bc9.14.1","providerId":"call_3_1","name":"count","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 90011390978, 1795934299759, 'tool-call-started', '99bfb7023c764bc9', 113, '{"v":1,"type":"tool-call-started","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.14.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (16, 90011390978, 1795934299794, 'message-sent', '99bfb7023c764bc9', 127, '{"v":1,"type":"message-sent","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.14.0","text":"That was call 1.","tool":"count"}');
INSERT INTO "events" VALUES (17, 90011390978, 1795934299794, 'tool-call-ended', '99bfb7023c764bc9', 259, '{"v":1,"type":"tool-call-ended","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.14.0","result":{"type":"artifact","value":{"counted":1,"onBoard":1}},"ms":1,"changes":{"state":{"counted":1},"blackboard":[{"name":"count","value":{"counted":1,"onBoard":1}}]}}');
INSERT INTO "events" VALUES (18, 90011390978, 1795934299794, 'tool-call-started', '99bfb7023c764bc9', 113, '{"v":1,"type":"tool-call-started","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.14.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (19, 90011390978, 1795934299860, 'message-sent', '99bfb7023c764bc9', 127, '{"v":1,"type":"message-sent","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.14.1","text":"That was call 2.","tool":"count"}');
INSERT INTO "events" VALUES (20, 90011390978, 1795934299860, 'tool-call-ended', '99bfb7023c764bc9', 259, '{"v":1,"type":"tool-call-ended","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.14.1","result":{"type":"artifact","value":{"counted":2,"onBoard":2}},"ms":0,"changes":{"state":{"counted":2},"blackboard":[{"name":"count","value":{"counted":2,"onBoard":2}}]}}');
INSERT INTO "events" VALUES (21, 90011390978, 1795934300321, 'model-replied', '99bfb7023c764bc9', 325, '{"v":1,"type":"model-replied","turn":"99bfb7023c764bc9","model":"scripted","text":"","toolCalls":[{"id":"99bfb7023c764bc9.21.0","providerId":"call_4_0","name":"file_order","input":"{\"item\":\"stone\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 90011390978, 1795934300321, 'tool-call-started', '99bfb7023c764bc9', 113, '{"v":1,"type":"tool-call-started","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.21.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (23, 90011390978, 1795934300764, 'tool-call-ended', '99bfb7023c764bc9', 272, '{"v":1,"type":"tool-call-ended","turn":"99bfb7023c764bc9","call":"99bfb7023c764bc9.21.0","result":{"type":"artifact","content":"Filed stone.","value":{"item":"stone","team":"red"}},"ms":296,"changes":{"blackboard":[{"name":"order","value":{"item":"stone","team":"red"}}]}}');
INSERT INTO "events" VALUES (24, 90011390978, 1795934301004, 'model-replied', '99bfb7023c764bc9', 222, '{"v":1,"type":"model-replied","turn":"99bfb7023c764bc9","model":"scripted","text":"Counted.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (25, 90011390978, 1795934301004, 'turn-ended', '99bfb7023c764bc9', 75, '{"v":1,"type":"turn-ended","turn":"99bfb7023c764bc9","outcome":"completed"}');
INSERT INTO "events" VALUES (26, 0, 1795934301236, 'turn-started', '77c00d04950e4614', 141, '{"v":1,"type":"turn-started","turn":"77c00d04950e4614","loopId":"77c00d04950e4614","message":"Thanks.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (27, 90011390979, 1795934301420, 'model-replied', '77c00d04950e4614', 230, '{"v":1,"type":"model-replied","turn":"77c00d04950e4614","model":"scripted","text":"You are welcome.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"5jy7br"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (28, 90011390979, 1795934301420, 'turn-ended', '77c00d04950e4614', 75, '{"v":1,"type":"turn-ended","turn":"77c00d04950e4614","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 90011390979, 'a13bb5b3a63f4575', NULL, 'free', 'started', 0, 0, 1795934301420, 28, 1795934301236, 0, '', 0);
INSERT INTO "requests" VALUES ('again-1', '53a3bbafa86b81127b60c60a95f96d5ba5b6cd5a481f4291192a02b2dab56e80', '99bfb7023c764bc9', 13, 1796020699332);
INSERT INTO "agenda" VALUES ('retention', '2592000000', 1798526301420);
INSERT INTO "_cf_METADATA" VALUES (1, 1798526301420000000);
