-- do/holdfast-SessionObject/4a0b1c963af6d0b4e952bced0df13558508bb5643523a8efa747606db167cc4f.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","finished","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781346, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"6396061a3de247b5","agent":"finished"}');
INSERT INTO "events" VALUES (2, 0, 1795369781346, 'turn-started', 'b85085c3b1a2452e', 137, '{"v":1,"type":"turn-started","turn":"b85085c3b1a2452e","loopId":"b85085c3b1a2452e","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 55021753460, 1795369781774, 'model-replied', 'b85085c3b1a2452e', 356, '{"v":1,"type":"model-replied","turn":"b85085c3b1a2452e","model":"scripted","text":"","toolCalls":[{"id":"b85085c3b1a2452e.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"b85085c3b1a2452e.3.1","providerId":"call_0_1","name":"file_order","input":"{\"item\":\"shell\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 55021753460, 1795369781774, 'tool-call-started', 'b85085c3b1a2452e', 106, '{"v":1,"type":"tool-call-started","turn":"b85085c3b1a2452e","call":"b85085c3b1a2452e.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 55021753460, 1795369781774, 'tool-call-started', 'b85085c3b1a2452e', 112, '{"v":1,"type":"tool-call-started","turn":"b85085c3b1a2452e","call":"b85085c3b1a2452e.3.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (6, 55021753460, 1795369781957, 'tool-call-ended', 'b85085c3b1a2452e', 150, '{"v":1,"type":"tool-call-ended","turn":"b85085c3b1a2452e","call":"b85085c3b1a2452e.3.0","result":{"type":"text","content":"look_up is done"},"ms":149}');
INSERT INTO "events" VALUES (7, 55021753460, 1795369781957, 'tool-call-ended', 'b85085c3b1a2452e', 273, '{"v":1,"type":"tool-call-ended","turn":"b85085c3b1a2452e","call":"b85085c3b1a2452e.3.1","result":{"type":"artifact","content":"Filed shell.","value":{"item":"shell","team":"blue"}},"ms":146,"changes":{"blackboard":[{"name":"order","value":{"item":"shell","team":"blue"}}]}}');
INSERT INTO "events" VALUES (8, 55021753460, 1795369782042, 'model-replied', 'b85085c3b1a2452e', 262, '{"v":1,"type":"model-replied","turn":"b85085c3b1a2452e","model":"scripted","text":"","toolCalls":[{"id":"b85085c3b1a2452e.8.0","providerId":"call_1_0","name":"charge","input":"{\"amount\":5}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 55021753460, 1795369782042, 'tool-call-started', 'b85085c3b1a2452e', 106, '{"v":1,"type":"tool-call-started","turn":"b85085c3b1a2452e","call":"b85085c3b1a2452e.8.0","effect":"once"}');
INSERT INTO "events" VALUES (10, 55021753460, 1795369782146, 'tool-call-ended', 'b85085c3b1a2452e', 148, '{"v":1,"type":"tool-call-ended","turn":"b85085c3b1a2452e","call":"b85085c3b1a2452e.8.0","result":{"type":"text","content":"charge is done"},"ms":67}');
INSERT INTO "events" VALUES (11, 55021753460, 1795369782221, 'model-replied', 'b85085c3b1a2452e', 170, '{"v":1,"type":"model-replied","turn":"b85085c3b1a2452e","model":"scripted","text":"Charged.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 55021753460, 1795369782221, 'turn-ended', 'b85085c3b1a2452e', 75, '{"v":1,"type":"turn-ended","turn":"b85085c3b1a2452e","outcome":"completed"}');
INSERT INTO "events" VALUES (13, 0, 1795369782263, 'turn-started', '9a011efd969744bf', 152, '{"v":1,"type":"turn-started","turn":"9a011efd969744bf","loopId":"9a011efd969744bf","message":"Again.","context":{"team":"red"},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (14, 55021753461, 1795369782313, 'model-replied', '9a011efd969744bf', 333, '{"v":1,"type":"model-replied","turn":"9a011efd969744bf","model":"scripted","text":"","toolCalls":[{"id":"9a011efd969744bf.14.0","providerId":"call_3_0","name":"count","input":"{}"},{"id":"9a011efd969744bf.14.1","providerId":"call_3_1","name":"count","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (15, 55021753461, 1795369782313, 'tool-call-started', '9a011efd969744bf', 113, '{"v":1,"type":"tool-call-started","turn":"9a011efd969744bf","call":"9a011efd969744bf.14.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (16, 55021753461, 1795369782318, 'message-sent', '9a011efd969744bf', 112, '{"v":1,"type":"message-sent","turn":"9a011efd969744bf","call":"9a011efd969744bf.14.0","text":"That was call 1."}');
INSERT INTO "events" VALUES (17, 55021753461, 1795369782318, 'tool-call-ended', '9a011efd969744bf', 259, '{"v":1,"type":"tool-call-ended","turn":"9a011efd969744bf","call":"9a011efd969744bf.14.0","result":{"type":"artifact","value":{"counted":1,"onBoard":1}},"ms":0,"changes":{"state":{"counted":1},"blackboard":[{"name":"count","value":{"counted":1,"onBoard":1}}]}}');
INSERT INTO "events" VALUES (18, 55021753461, 1795369782318, 'tool-call-started', '9a011efd969744bf', 113, '{"v":1,"type":"tool-call-started","turn":"9a011efd969744bf","call":"9a011efd969744bf.14.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (19, 55021753461, 1795369782327, 'message-sent', '9a011efd969744bf', 112, '{"v":1,"type":"message-sent","turn":"9a011efd969744bf","call":"9a011efd969744bf.14.1","text":"That was call 2."}');
INSERT INTO "events" VALUES (20, 55021753461, 1795369782327, 'tool-call-ended', '9a011efd969744bf', 259, '{"v":1,"type":"tool-call-ended","turn":"9a011efd969744bf","call":"9a011efd969744bf.14.1","result":{"type":"artifact","value":{"counted":2,"onBoard":2}},"ms":0,"changes":{"state":{"counted":2},"blackboard":[{"name":"count","value":{"counted":2,"onBoard":2}}]}}');
INSERT INTO "events" VALUES (21, 55021753461, 1795369782361, 'model-replied', '9a011efd969744bf', 273, '{"v":1,"type":"model-replied","turn":"9a011efd969744bf","model":"scripted","text":"","toolCalls":[{"id":"9a011efd969744bf.21.0","providerId":"call_4_0","name":"file_order","input":"{\"item\":\"stone\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 55021753461, 1795369782361, 'tool-call-started', '9a011efd969744bf', 113, '{"v":1,"type":"tool-call-started","turn":"9a011efd969744bf","call":"9a011efd969744bf.21.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (23, 55021753461, 1795369782412, 'tool-call-ended', '9a011efd969744bf', 271, '{"v":1,"type":"tool-call-ended","turn":"9a011efd969744bf","call":"9a011efd969744bf.21.0","result":{"type":"artifact","content":"Filed stone.","value":{"item":"stone","team":"red"}},"ms":39,"changes":{"blackboard":[{"name":"order","value":{"item":"stone","team":"red"}}]}}');
INSERT INTO "events" VALUES (24, 55021753461, 1795369782431, 'model-replied', '9a011efd969744bf', 170, '{"v":1,"type":"model-replied","turn":"9a011efd969744bf","model":"scripted","text":"Counted.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (25, 55021753461, 1795369782431, 'turn-ended', '9a011efd969744bf', 75, '{"v":1,"type":"turn-ended","turn":"9a011efd969744bf","outcome":"completed"}');
INSERT INTO "events" VALUES (26, 0, 1795369782457, 'turn-started', 'fa41f3dee99b4ac9', 141, '{"v":1,"type":"turn-started","turn":"fa41f3dee99b4ac9","loopId":"fa41f3dee99b4ac9","message":"Thanks.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (27, 55021753462, 1795369782476, 'model-replied', 'fa41f3dee99b4ac9', 178, '{"v":1,"type":"model-replied","turn":"fa41f3dee99b4ac9","model":"scripted","text":"You are welcome.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (28, 55021753462, 1795369782476, 'turn-ended', 'fa41f3dee99b4ac9', 75, '{"v":1,"type":"turn-ended","turn":"fa41f3dee99b4ac9","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 55021753462, 'bd609ed695214106', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "requests" VALUES ('again-1', '53a3bbafa86b81127b60c60a95f96d5ba5b6cd5a481f4291192a02b2dab56e80', '9a011efd969744bf', 13, 1795456182263);
INSERT INTO "agenda" VALUES ('retention', '2592000000', 1797961782476);
INSERT INTO "_cf_METADATA" VALUES (1, 1797961782476000000);
