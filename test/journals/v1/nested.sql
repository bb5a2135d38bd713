-- do/holdfast-SessionObject/5e5875e040f429e2a2280de738e03716c15f6a2ce1a532e42ae90341d4438074.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","nested","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290538, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"9f9a7121331241cd","agent":"nested"}');
INSERT INTO "events" VALUES (2, 0, 1795934290538, 'turn-started', '507b070bea7e40d5', 137, '{"v":1,"type":"turn-started","turn":"507b070bea7e40d5","loopId":"507b070bea7e40d5","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 47230347818, 1795934294831, 'model-replied', '507b070bea7e40d5', 317, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","model":"scripted","text":"","toolCalls":[{"id":"507b070bea7e40d5.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"left\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"cw903k"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 47230347818, 1795934294831, 'frame-started', '507b070bea7e40d5', 133, '{"v":1,"type":"frame-started","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","name":"work","message":"{\"task\":\"left\"}"}');
INSERT INTO "events" VALUES (5, 47230347818, 1795934296046, 'model-replied', '507b070bea7e40d5', 413, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","model":"scripted","text":"","toolCalls":[{"id":"507b070bea7e40d5.5.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"507b070bea7e40d5.5.1","providerId":"call_0_1","name":"dig","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"9fnufz","tools":"auqvqi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 47230347818, 1795934296046, 'tool-call-started', '507b070bea7e40d5', 137, '{"v":1,"type":"tool-call-started","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","call":"507b070bea7e40d5.5.1","effect":"once"}');
INSERT INTO "events" VALUES (7, 47230347818, 1795934296046, 'tool-call-started', '507b070bea7e40d5', 137, '{"v":1,"type":"tool-call-started","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","call":"507b070bea7e40d5.5.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 47230347818, 1795934297315, 'tool-call-ended', '507b070bea7e40d5', 182, '{"v":1,"type":"tool-call-ended","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","call":"507b070bea7e40d5.5.0","result":{"type":"text","content":"look_up is done"},"ms":1088}');
INSERT INTO "events" VALUES (9, 47230347818, 1795934297560, 'tool-call-ended', '507b070bea7e40d5', 279, '{"v":1,"type":"tool-call-ended","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","call":"507b070bea7e40d5.5.1","result":{"type":"artifact","content":"dig is done","value":{"dug":1}},"ms":1063,"changes":{"state":{"dug":1},"blackboard":[{"name":"hole","value":{"dug":1}}]}}');
INSERT INTO "events" VALUES (10, 47230347818, 1795934298557, 'model-replied', '507b070bea7e40d5', 252, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.3.0","model":"scripted","text":"Left it.","toolCalls":[],"finish":"stop","asked":{"instructions":"hrf2r4","tools":"auqvqi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 47230347818, 1795934298557, 'tool-call-ended', '507b070bea7e40d5', 156, '{"v":1,"type":"tool-call-ended","turn":"507b070bea7e40d5","call":"507b070bea7e40d5.3.0","result":{"type":"artifact","content":"Left it.","value":{"dug":1}}}');
INSERT INTO "events" VALUES (12, 47230347818, 1795934299171, 'model-replied', '507b070bea7e40d5', 327, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","model":"scripted","text":"","toolCalls":[{"id":"507b070bea7e40d5.12.0","providerId":"call_1_0","name":"helper","input":"{\"message\":\"Find it.\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"cw903k"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 47230347818, 1795934299171, 'frame-started', '507b070bea7e40d5', 146, '{"v":1,"type":"frame-started","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","name":"helper","message":"Find it.","ownBlackboard":true}');
INSERT INTO "events" VALUES (14, 47230347818, 1795934299531, 'model-replied', '507b070bea7e40d5', 332, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","model":"scripted","text":"","toolCalls":[{"id":"507b070bea7e40d5.14.0","providerId":"call_0_0","name":"find","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"puw0nm","tools":"juwrsp"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 47230347818, 1795934299531, 'tool-call-started', '507b070bea7e40d5', 139, '{"v":1,"type":"tool-call-started","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","call":"507b070bea7e40d5.14.0","effect":"once"}');
INSERT INTO "events" VALUES (16, 47230347818, 1795934300059, 'tool-call-ended', '507b070bea7e40d5', 250, '{"v":1,"type":"tool-call-ended","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","call":"507b070bea7e40d5.14.0","result":{"type":"text","content":"find is done, beside 2"},"ms":424,"changes":{"blackboard":[{"name":"find","value":"a find"}]}}');
INSERT INTO "events" VALUES (17, 47230347818, 1795934300444, 'model-replied', '507b070bea7e40d5', 256, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","model":"scripted","text":"It is here.","toolCalls":[],"finish":"stop","asked":{"instructions":"puw0nm","tools":"juwrsp"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 47230347818, 1795934300444, 'answer-rejected', '507b070bea7e40d5', 126, '{"v":1,"type":"answer-rejected","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","problems":["It is not JSON text."]}');
INSERT INTO "events" VALUES (19, 47230347818, 1795934300838, 'model-replied', '507b070bea7e40d5', 265, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","frame":"507b070bea7e40d5.12.0","model":"scripted","text":"{\"found\":\"here\"}","toolCalls":[],"finish":"stop","asked":{"instructions":"puw0nm","tools":"juwrsp"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 47230347818, 1795934300838, 'tool-call-ended', '507b070bea7e40d5', 203, '{"v":1,"type":"tool-call-ended","turn":"507b070bea7e40d5","call":"507b070bea7e40d5.12.0","result":{"type":"artifact","value":{"found":"here"}},"changes":{"blackboard":[{"name":"find","value":"a find"}]}}');
INSERT INTO "events" VALUES (21, 47230347818, 1795934301092, 'model-replied', '507b070bea7e40d5', 221, '{"v":1,"type":"model-replied","turn":"507b070bea7e40d5","model":"scripted","text":"Worked.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"cw903k"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 47230347818, 1795934301092, 'turn-ended', '507b070bea7e40d5', 75, '{"v":1,"type":"turn-ended","turn":"507b070bea7e40d5","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 47230347818, '7e71260048c94b99', NULL, 'free', 'started', 0, 0, 1795934301093, 22, 1795934290550, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
