-- do/holdfast-SessionObject/de3ca2897c73eb70673bb8d470229a415907291c1e9937f01660ed4ea49d0166.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","state-machine","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290498, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"cd05e893868a47d0","agent":"state-machine"}');
INSERT INTO "events" VALUES (2, 0, 1795934290498, 'turn-started', '216f0a6b84e24324', 137, '{"v":1,"type":"turn-started","turn":"216f0a6b84e24324","loopId":"216f0a6b84e24324","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 382686570511, 1795934294822, 'model-replied', '216f0a6b84e24324', 311, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","model":"scripted","text":"","toolCalls":[{"id":"216f0a6b84e24324.3.0","providerId":"call_0_0","name":"orders","input":"{\"id\":41}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"poxr3d"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 382686570511, 1795934294822, 'frame-started', '216f0a6b84e24324', 232, '{"v":1,"type":"frame-started","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","name":"orders","message":"{\"id\":41}","facts":[{"slice":"state-machines","fact":{"key":"41","state":"draft","start":true},"at":1795934293900}]}');
INSERT INTO "events" VALUES (5, 382686570511, 1795934296046, 'model-replied', '216f0a6b84e24324', 411, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","model":"scripted","text":"","toolCalls":[{"id":"216f0a6b84e24324.5.0","providerId":"call_0_0","name":"add","input":"{}"},{"id":"216f0a6b84e24324.5.1","providerId":"call_0_1","name":"ship","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"xyci7x","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 382686570511, 1795934296046, 'tool-call-started', '216f0a6b84e24324', 143, '{"v":1,"type":"tool-call-started","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.5.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (7, 382686570511, 1795934297318, 'tool-call-ended', '216f0a6b84e24324', 177, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.5.0","result":{"type":"text","content":"add is done"},"ms":894}');
INSERT INTO "events" VALUES (8, 382686570511, 1795934297318, 'tool-call-ended', '216f0a6b84e24324', 270, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.5.1","result":{"type":"text","content":"This tool is not available in the current state (draft). It is only available in state: confirmed","withheld":true}}');
INSERT INTO "events" VALUES (9, 382686570511, 1795934297986, 'model-replied', '216f0a6b84e24324', 334, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","model":"scripted","text":"","toolCalls":[{"id":"216f0a6b84e24324.9.0","providerId":"call_1_0","name":"confirm","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"xyci7x","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 382686570511, 1795934297986, 'tool-call-started', '216f0a6b84e24324', 137, '{"v":1,"type":"tool-call-started","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.9.0","effect":"once"}');
INSERT INTO "events" VALUES (11, 382686570511, 1795934299055, 'tool-call-ended', '216f0a6b84e24324', 289, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.9.0","result":{"type":"text","content":"confirm is done"},"ms":736,"changes":{"facts":[{"slice":"state-machines","fact":{"key":"41","state":"confirmed"},"at":1795934298825}]}}');
INSERT INTO "events" VALUES (12, 382686570511, 1795934299490, 'model-replied', '216f0a6b84e24324', 335, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","model":"scripted","text":"","toolCalls":[{"id":"216f0a6b84e24324.12.0","providerId":"call_2_0","name":"status","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"114vrsf","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 382686570511, 1795934299490, 'tool-call-started', '216f0a6b84e24324', 138, '{"v":1,"type":"tool-call-started","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.12.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 382686570511, 1795934299984, 'tool-call-ended', '216f0a6b84e24324', 181, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","call":"216f0a6b84e24324.12.0","result":{"type":"text","content":"status is done"},"ms":452}');
INSERT INTO "events" VALUES (15, 382686570511, 1795934300404, 'model-replied', '216f0a6b84e24324', 259, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.3.0","model":"scripted","text":"Confirmed 41.","toolCalls":[],"finish":"stop","asked":{"instructions":"114vrsf","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 382686570511, 1795934300404, 'tool-call-ended', '216f0a6b84e24324', 139, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","call":"216f0a6b84e24324.3.0","result":{"type":"text","content":"Confirmed 41."}}');
INSERT INTO "events" VALUES (17, 382686570511, 1795934300745, 'model-replied', '216f0a6b84e24324', 312, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","model":"scripted","text":"","toolCalls":[{"id":"216f0a6b84e24324.17.0","providerId":"call_1_0","name":"orders","input":"{\"id\":42}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"poxr3d"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 382686570511, 1795934300745, 'frame-started', '216f0a6b84e24324', 233, '{"v":1,"type":"frame-started","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.17.0","name":"orders","message":"{\"id\":42}","facts":[{"slice":"state-machines","fact":{"key":"42","state":"draft","start":true},"at":1795934300562}]}');
INSERT INTO "events" VALUES (19, 382686570511, 1795934301004, 'model-replied', '216f0a6b84e24324', 332, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.17.0","model":"scripted","text":"","toolCalls":[{"id":"216f0a6b84e24324.19.0","providerId":"call_0_0","name":"add","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"v8kpmg","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 382686570511, 1795934301004, 'tool-call-started', '216f0a6b84e24324', 145, '{"v":1,"type":"tool-call-started","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.17.0","call":"216f0a6b84e24324.19.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (21, 382686570511, 1795934301278, 'tool-call-ended', '216f0a6b84e24324', 179, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.17.0","call":"216f0a6b84e24324.19.0","result":{"type":"text","content":"add is done"},"ms":154}');
INSERT INTO "events" VALUES (22, 382686570511, 1795934301456, 'model-replied', '216f0a6b84e24324', 257, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","frame":"216f0a6b84e24324.17.0","model":"scripted","text":"Drafted 42.","toolCalls":[],"finish":"stop","asked":{"instructions":"v8kpmg","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (23, 382686570511, 1795934301456, 'tool-call-ended', '216f0a6b84e24324', 138, '{"v":1,"type":"tool-call-ended","turn":"216f0a6b84e24324","call":"216f0a6b84e24324.17.0","result":{"type":"text","content":"Drafted 42."}}');
INSERT INTO "events" VALUES (24, 382686570511, 1795934301585, 'model-replied', '216f0a6b84e24324', 222, '{"v":1,"type":"model-replied","turn":"216f0a6b84e24324","model":"scripted","text":"Ordered.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"poxr3d"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (25, 382686570511, 1795934301585, 'turn-ended', '216f0a6b84e24324', 75, '{"v":1,"type":"turn-ended","turn":"216f0a6b84e24324","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 382686570511, '1e47d5cbe1da4f3d', NULL, 'free', 'started', 0, 0, 1795934301585, 25, 1795934290498, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
