-- do/holdfast-SessionObject/5e5875e040f429e2a2280de738e03716c15f6a2ce1a532e42ae90341d4438074.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    epoch INTEGER NOT NULL,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    turn TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    body TEXT
  );
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    epoch INTEGER NOT NULL,
    nonce TEXT NOT NULL,
    turn TEXT,
    state TEXT NOT NULL,
    cause TEXT NOT NULL,
    expired INTEGER NOT NULL,
    expiredFor INTEGER NOT NULL,
    grace INTEGER
  );
CREATE TABLE requests (
    key TEXT PRIMARY KEY,
    body_hash TEXT NOT NULL,
    turn TEXT NOT NULL,
    seq INTEGER NOT NULL,
    expires INTEGER NOT NULL
  ) WITHOUT ROWID;
CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, turn TEXT NOT NULL, body TEXT NOT NULL);
CREATE TABLE agenda (
    kind TEXT NOT NULL,
    ref TEXT NOT NULL,
    due INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)
  ) WITHOUT ROWID;
CREATE TABLE chunks (
    owner TEXT NOT NULL,
    seq INTEGER NOT NULL,
    part INTEGER NOT NULL,
    reducer INTEGER,
    body BLOB NOT NULL, messages_from INTEGER NOT NULL DEFAULT 1,
    PRIMARY KEY (owner, seq, part)
  );
CREATE TABLE _cf_METADATA (
        key INTEGER PRIMARY KEY,
        value BLOB
      );
INSERT INTO "schema" VALUES (2, '["ada","nested","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781492, 'session-opened', '', 81, '{"v":1,"type":"session-opened","incarnation":"5ea8f8924eb64693","agent":"nested"}');
INSERT INTO "events" VALUES (2, 0, 1795369781492, 'turn-started', 'b4ed19e1f2b34f77', 137, '{"v":1,"type":"turn-started","turn":"b4ed19e1f2b34f77","loopId":"b4ed19e1f2b34f77","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 909416642469, 1795369781863, 'model-replied', 'b4ed19e1f2b34f77', 265, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","model":"scripted","text":"","toolCalls":[{"id":"b4ed19e1f2b34f77.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"left\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 909416642469, 1795369781863, 'frame-started', 'b4ed19e1f2b34f77', 133, '{"v":1,"type":"frame-started","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","name":"work","message":"{\"task\":\"left\"}"}');
INSERT INTO "events" VALUES (5, 909416642469, 1795369781937, 'model-replied', 'b4ed19e1f2b34f77', 362, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","model":"scripted","text":"","toolCalls":[{"id":"b4ed19e1f2b34f77.5.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"b4ed19e1f2b34f77.5.1","providerId":"call_0_1","name":"dig","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 909416642469, 1795369781937, 'tool-call-started', 'b4ed19e1f2b34f77', 137, '{"v":1,"type":"tool-call-started","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","call":"b4ed19e1f2b34f77.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 909416642469, 1795369781937, 'tool-call-started', 'b4ed19e1f2b34f77', 137, '{"v":1,"type":"tool-call-started","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","call":"b4ed19e1f2b34f77.5.1","effect":"once"}');
INSERT INTO "events" VALUES (8, 909416642469, 1795369782065, 'tool-call-ended', 'b4ed19e1f2b34f77', 180, '{"v":1,"type":"tool-call-ended","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","call":"b4ed19e1f2b34f77.5.0","result":{"type":"text","content":"look_up is done"},"ms":98}');
INSERT INTO "events" VALUES (9, 909416642469, 1795369782065, 'tool-call-ended', 'b4ed19e1f2b34f77', 277, '{"v":1,"type":"tool-call-ended","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","call":"b4ed19e1f2b34f77.5.1","result":{"type":"artifact","content":"dig is done","value":{"dug":1}},"ms":94,"changes":{"state":{"dug":1},"blackboard":[{"name":"hole","value":{"dug":1}}]}}');
INSERT INTO "events" VALUES (10, 909416642469, 1795369782146, 'model-replied', 'b4ed19e1f2b34f77', 201, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.3.0","model":"scripted","text":"Left it.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 909416642469, 1795369782146, 'tool-call-ended', 'b4ed19e1f2b34f77', 156, '{"v":1,"type":"tool-call-ended","turn":"b4ed19e1f2b34f77","call":"b4ed19e1f2b34f77.3.0","result":{"type":"artifact","value":{"dug":1},"content":"Left it."}}');
INSERT INTO "events" VALUES (12, 909416642469, 1795369782237, 'model-replied', 'b4ed19e1f2b34f77', 275, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","model":"scripted","text":"","toolCalls":[{"id":"b4ed19e1f2b34f77.12.0","providerId":"call_1_0","name":"helper","input":"{\"message\":\"Find it.\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 909416642469, 1795369782237, 'frame-started', 'b4ed19e1f2b34f77', 146, '{"v":1,"type":"frame-started","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","name":"helper","message":"Find it.","ownBlackboard":true}');
INSERT INTO "events" VALUES (14, 909416642469, 1795369782277, 'model-replied', 'b4ed19e1f2b34f77', 281, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","model":"scripted","text":"","toolCalls":[{"id":"b4ed19e1f2b34f77.14.0","providerId":"call_0_0","name":"find","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 909416642469, 1795369782277, 'tool-call-started', 'b4ed19e1f2b34f77', 139, '{"v":1,"type":"tool-call-started","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","call":"b4ed19e1f2b34f77.14.0","effect":"once"}');
INSERT INTO "events" VALUES (16, 909416642469, 1795369782341, 'tool-call-ended', 'b4ed19e1f2b34f77', 249, '{"v":1,"type":"tool-call-ended","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","call":"b4ed19e1f2b34f77.14.0","result":{"type":"text","content":"find is done, beside 2"},"ms":45,"changes":{"blackboard":[{"name":"find","value":"a find"}]}}');
INSERT INTO "events" VALUES (17, 909416642469, 1795369782383, 'model-replied', 'b4ed19e1f2b34f77', 205, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","model":"scripted","text":"It is here.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 909416642469, 1795369782383, 'answer-rejected', 'b4ed19e1f2b34f77', 126, '{"v":1,"type":"answer-rejected","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","problems":["It is not JSON text."]}');
INSERT INTO "events" VALUES (19, 909416642469, 1795369782418, 'model-replied', 'b4ed19e1f2b34f77', 214, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","frame":"b4ed19e1f2b34f77.12.0","model":"scripted","text":"{\"found\":\"here\"}","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 909416642469, 1795369782418, 'tool-call-ended', 'b4ed19e1f2b34f77', 203, '{"v":1,"type":"tool-call-ended","turn":"b4ed19e1f2b34f77","call":"b4ed19e1f2b34f77.12.0","result":{"type":"artifact","value":{"found":"here"}},"changes":{"blackboard":[{"name":"find","value":"a find"}]}}');
INSERT INTO "events" VALUES (21, 909416642469, 1795369782441, 'model-replied', 'b4ed19e1f2b34f77', 169, '{"v":1,"type":"model-replied","turn":"b4ed19e1f2b34f77","model":"scripted","text":"Worked.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 909416642469, 1795369782441, 'turn-ended', 'b4ed19e1f2b34f77', 75, '{"v":1,"type":"turn-ended","turn":"b4ed19e1f2b34f77","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 909416642469, 'f8f191af04af4181', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
