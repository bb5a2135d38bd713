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
INSERT INTO "events" VALUES (1, 0, 1795932561743, 'session-opened', '', 88, '{"v":1,"type":"session-opened","incarnation":"4217d35d54be44fe","agent":"state-machine"}');
INSERT INTO "events" VALUES (2, 0, 1795932561743, 'turn-started', '9496d3ac0c564f0b', 137, '{"v":1,"type":"turn-started","turn":"9496d3ac0c564f0b","loopId":"9496d3ac0c564f0b","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 569049963470, 1795932563013, 'model-replied', '9496d3ac0c564f0b', 311, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","model":"scripted","text":"","toolCalls":[{"id":"9496d3ac0c564f0b.3.0","providerId":"call_0_0","name":"orders","input":"{\"id\":41}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"poxr3d"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 569049963470, 1795932563013, 'frame-started', '9496d3ac0c564f0b', 232, '{"v":1,"type":"frame-started","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","name":"orders","message":"{\"id\":41}","facts":[{"slice":"state-machines","fact":{"key":"41","state":"draft","start":true},"at":1795932562994}]}');
INSERT INTO "events" VALUES (5, 569049963470, 1795932563432, 'model-replied', '9496d3ac0c564f0b', 411, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","model":"scripted","text":"","toolCalls":[{"id":"9496d3ac0c564f0b.5.0","providerId":"call_0_0","name":"add","input":"{}"},{"id":"9496d3ac0c564f0b.5.1","providerId":"call_0_1","name":"ship","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"xyci7x","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 569049963470, 1795932563432, 'tool-call-started', '9496d3ac0c564f0b', 143, '{"v":1,"type":"tool-call-started","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.5.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (7, 569049963470, 1795932564027, 'tool-call-ended', '9496d3ac0c564f0b', 177, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.5.0","result":{"type":"text","content":"add is done"},"ms":455}');
INSERT INTO "events" VALUES (8, 569049963470, 1795932564027, 'tool-call-ended', '9496d3ac0c564f0b', 270, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.5.1","result":{"type":"text","content":"This tool is not available in the current state (draft). It is only available in state: confirmed","withheld":true}}');
INSERT INTO "events" VALUES (9, 569049963470, 1795932564313, 'model-replied', '9496d3ac0c564f0b', 334, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","model":"scripted","text":"","toolCalls":[{"id":"9496d3ac0c564f0b.9.0","providerId":"call_1_0","name":"confirm","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"xyci7x","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 569049963470, 1795932564313, 'tool-call-started', '9496d3ac0c564f0b', 137, '{"v":1,"type":"tool-call-started","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.9.0","effect":"once"}');
INSERT INTO "events" VALUES (11, 569049963470, 1795932564815, 'tool-call-ended', '9496d3ac0c564f0b', 289, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.9.0","result":{"type":"text","content":"confirm is done"},"ms":406,"changes":{"facts":[{"slice":"state-machines","fact":{"key":"41","state":"confirmed"},"at":1795932564735}]}}');
INSERT INTO "events" VALUES (12, 569049963470, 1795932564985, 'model-replied', '9496d3ac0c564f0b', 335, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","model":"scripted","text":"","toolCalls":[{"id":"9496d3ac0c564f0b.12.0","providerId":"call_2_0","name":"status","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"114vrsf","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 569049963470, 1795932564985, 'tool-call-started', '9496d3ac0c564f0b', 138, '{"v":1,"type":"tool-call-started","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.12.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 569049963470, 1795932565196, 'tool-call-ended', '9496d3ac0c564f0b', 181, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","call":"9496d3ac0c564f0b.12.0","result":{"type":"text","content":"status is done"},"ms":218}');
INSERT INTO "events" VALUES (15, 569049963470, 1795932565397, 'model-replied', '9496d3ac0c564f0b', 259, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.3.0","model":"scripted","text":"Confirmed 41.","toolCalls":[],"finish":"stop","asked":{"instructions":"114vrsf","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 569049963470, 1795932565397, 'tool-call-ended', '9496d3ac0c564f0b', 139, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","call":"9496d3ac0c564f0b.3.0","result":{"type":"text","content":"Confirmed 41."}}');
INSERT INTO "events" VALUES (17, 569049963470, 1795932565545, 'model-replied', '9496d3ac0c564f0b', 312, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","model":"scripted","text":"","toolCalls":[{"id":"9496d3ac0c564f0b.17.0","providerId":"call_1_0","name":"orders","input":"{\"id\":42}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"poxr3d"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 569049963470, 1795932565545, 'frame-started', '9496d3ac0c564f0b', 233, '{"v":1,"type":"frame-started","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.17.0","name":"orders","message":"{\"id\":42}","facts":[{"slice":"state-machines","fact":{"key":"42","state":"draft","start":true},"at":1795932565496}]}');
INSERT INTO "events" VALUES (19, 569049963470, 1795932565626, 'model-replied', '9496d3ac0c564f0b', 332, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.17.0","model":"scripted","text":"","toolCalls":[{"id":"9496d3ac0c564f0b.19.0","providerId":"call_0_0","name":"add","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"v8kpmg","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 569049963470, 1795932565626, 'tool-call-started', '9496d3ac0c564f0b', 145, '{"v":1,"type":"tool-call-started","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.17.0","call":"9496d3ac0c564f0b.19.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (21, 569049963470, 1795932565706, 'tool-call-ended', '9496d3ac0c564f0b', 178, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.17.0","call":"9496d3ac0c564f0b.19.0","result":{"type":"text","content":"add is done"},"ms":48}');
INSERT INTO "events" VALUES (22, 569049963470, 1795932565780, 'model-replied', '9496d3ac0c564f0b', 257, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","frame":"9496d3ac0c564f0b.17.0","model":"scripted","text":"Drafted 42.","toolCalls":[],"finish":"stop","asked":{"instructions":"v8kpmg","tools":"1d2d8wy"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (23, 569049963470, 1795932565780, 'tool-call-ended', '9496d3ac0c564f0b', 138, '{"v":1,"type":"tool-call-ended","turn":"9496d3ac0c564f0b","call":"9496d3ac0c564f0b.17.0","result":{"type":"text","content":"Drafted 42."}}');
INSERT INTO "events" VALUES (24, 569049963470, 1795932565818, 'model-replied', '9496d3ac0c564f0b', 222, '{"v":1,"type":"model-replied","turn":"9496d3ac0c564f0b","model":"scripted","text":"Ordered.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"poxr3d"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (25, 569049963470, 1795932565818, 'turn-ended', '9496d3ac0c564f0b', 75, '{"v":1,"type":"turn-ended","turn":"9496d3ac0c564f0b","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 569049963470, 'ea9a2757fede4861', NULL, 'free', 'started', 0, 0, 1795932565818, 25, 1795932561743, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
