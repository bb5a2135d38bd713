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
INSERT INTO "events" VALUES (1, 0, 1795932561761, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"3b7c4e8ae4894aa7","agent":"nested"}');
INSERT INTO "events" VALUES (2, 0, 1795932561761, 'turn-started', 'f40f7215a12342a8', 137, '{"v":1,"type":"turn-started","turn":"f40f7215a12342a8","loopId":"f40f7215a12342a8","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 1097589220612, 1795932563104, 'model-replied', 'f40f7215a12342a8', 317, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","model":"scripted","text":"","toolCalls":[{"id":"f40f7215a12342a8.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"left\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"cw903k"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 1097589220612, 1795932563104, 'frame-started', 'f40f7215a12342a8', 133, '{"v":1,"type":"frame-started","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","name":"work","message":"{\"task\":\"left\"}"}');
INSERT INTO "events" VALUES (5, 1097589220612, 1795932563546, 'model-replied', 'f40f7215a12342a8', 413, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","model":"scripted","text":"","toolCalls":[{"id":"f40f7215a12342a8.5.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"f40f7215a12342a8.5.1","providerId":"call_0_1","name":"dig","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"9fnufz","tools":"auqvqi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 1097589220612, 1795932563546, 'tool-call-started', 'f40f7215a12342a8', 137, '{"v":1,"type":"tool-call-started","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","call":"f40f7215a12342a8.5.1","effect":"once"}');
INSERT INTO "events" VALUES (7, 1097589220612, 1795932563546, 'tool-call-started', 'f40f7215a12342a8', 137, '{"v":1,"type":"tool-call-started","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","call":"f40f7215a12342a8.5.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 1097589220612, 1795932564027, 'tool-call-ended', 'f40f7215a12342a8', 181, '{"v":1,"type":"tool-call-ended","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","call":"f40f7215a12342a8.5.0","result":{"type":"text","content":"look_up is done"},"ms":410}');
INSERT INTO "events" VALUES (9, 1097589220612, 1795932564027, 'tool-call-ended', 'f40f7215a12342a8', 278, '{"v":1,"type":"tool-call-ended","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","call":"f40f7215a12342a8.5.1","result":{"type":"artifact","content":"dig is done","value":{"dug":1}},"ms":388,"changes":{"state":{"dug":1},"blackboard":[{"name":"hole","value":{"dug":1}}]}}');
INSERT INTO "events" VALUES (10, 1097589220612, 1795932564433, 'model-replied', 'f40f7215a12342a8', 252, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.3.0","model":"scripted","text":"Left it.","toolCalls":[],"finish":"stop","asked":{"instructions":"hrf2r4","tools":"auqvqi"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 1097589220612, 1795932564433, 'tool-call-ended', 'f40f7215a12342a8', 156, '{"v":1,"type":"tool-call-ended","turn":"f40f7215a12342a8","call":"f40f7215a12342a8.3.0","result":{"type":"artifact","content":"Left it.","value":{"dug":1}}}');
INSERT INTO "events" VALUES (12, 1097589220612, 1795932564743, 'model-replied', 'f40f7215a12342a8', 327, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","model":"scripted","text":"","toolCalls":[{"id":"f40f7215a12342a8.12.0","providerId":"call_1_0","name":"helper","input":"{\"message\":\"Find it.\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"cw903k"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 1097589220612, 1795932564743, 'frame-started', 'f40f7215a12342a8', 146, '{"v":1,"type":"frame-started","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","name":"helper","message":"Find it.","ownBlackboard":true}');
INSERT INTO "events" VALUES (14, 1097589220612, 1795932564890, 'model-replied', 'f40f7215a12342a8', 332, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","model":"scripted","text":"","toolCalls":[{"id":"f40f7215a12342a8.14.0","providerId":"call_0_0","name":"find","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"puw0nm","tools":"juwrsp"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 1097589220612, 1795932564890, 'tool-call-started', 'f40f7215a12342a8', 139, '{"v":1,"type":"tool-call-started","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","call":"f40f7215a12342a8.14.0","effect":"once"}');
INSERT INTO "events" VALUES (16, 1097589220612, 1795932565142, 'tool-call-ended', 'f40f7215a12342a8', 250, '{"v":1,"type":"tool-call-ended","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","call":"f40f7215a12342a8.14.0","result":{"type":"text","content":"find is done, beside 2"},"ms":170,"changes":{"blackboard":[{"name":"find","value":"a find"}]}}');
INSERT INTO "events" VALUES (17, 1097589220612, 1795932565319, 'model-replied', 'f40f7215a12342a8', 256, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","model":"scripted","text":"It is here.","toolCalls":[],"finish":"stop","asked":{"instructions":"puw0nm","tools":"juwrsp"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 1097589220612, 1795932565319, 'answer-rejected', 'f40f7215a12342a8', 126, '{"v":1,"type":"answer-rejected","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","problems":["It is not JSON text."]}');
INSERT INTO "events" VALUES (19, 1097589220612, 1795932565479, 'model-replied', 'f40f7215a12342a8', 265, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","frame":"f40f7215a12342a8.12.0","model":"scripted","text":"{\"found\":\"here\"}","toolCalls":[],"finish":"stop","asked":{"instructions":"puw0nm","tools":"juwrsp"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 1097589220612, 1795932565479, 'tool-call-ended', 'f40f7215a12342a8', 203, '{"v":1,"type":"tool-call-ended","turn":"f40f7215a12342a8","call":"f40f7215a12342a8.12.0","result":{"type":"artifact","value":{"found":"here"}},"changes":{"blackboard":[{"name":"find","value":"a find"}]}}');
INSERT INTO "events" VALUES (21, 1097589220612, 1795932565570, 'model-replied', 'f40f7215a12342a8', 221, '{"v":1,"type":"model-replied","turn":"f40f7215a12342a8","model":"scripted","text":"Worked.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"cw903k"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 1097589220612, 1795932565570, 'turn-ended', 'f40f7215a12342a8', 75, '{"v":1,"type":"turn-ended","turn":"f40f7215a12342a8","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 1097589220612, 'b29e309e63fa4925', NULL, 'free', 'started', 0, 0, 1795932565570, 22, 1795932561761, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
