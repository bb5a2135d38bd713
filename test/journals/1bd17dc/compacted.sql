-- do/holdfast-SessionObject/dac995294e59b71b3286c110a9a8875be5e0f4f72363a810b202e81f6c0d1091.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","compacted","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781514, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"436b3195817a4164","agent":"compacted"}');
INSERT INTO "events" VALUES (2, 0, 1795369781514, 'turn-started', '70c3f1f2dbd444a3', 137, '{"v":1,"type":"turn-started","turn":"70c3f1f2dbd444a3","loopId":"70c3f1f2dbd444a3","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 327336774897, 1795369781887, 'model-replied', '70c3f1f2dbd444a3', 247, '{"v":1,"type":"model-replied","turn":"70c3f1f2dbd444a3","model":"scripted","text":"","toolCalls":[{"id":"70c3f1f2dbd444a3.3.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 327336774897, 1795369781887, 'tool-call-started', '70c3f1f2dbd444a3', 106, '{"v":1,"type":"tool-call-started","turn":"70c3f1f2dbd444a3","call":"70c3f1f2dbd444a3.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 327336774897, 1795369782038, 'tool-call-ended', '70c3f1f2dbd444a3', 146, '{"v":1,"type":"tool-call-ended","turn":"70c3f1f2dbd444a3","call":"70c3f1f2dbd444a3.3.0","result":{"type":"text","content":"pay is done"},"ms":113}');
INSERT INTO "events" VALUES (6, 327336774897, 1795369782090, 'model-replied', '70c3f1f2dbd444a3', 380, '{"v":1,"type":"model-replied","turn":"70c3f1f2dbd444a3","model":"scripted","text":"Paid as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 327336774897, 1795369782090, 'turn-ended', '70c3f1f2dbd444a3', 75, '{"v":1,"type":"turn-ended","turn":"70c3f1f2dbd444a3","outcome":"completed"}');
INSERT INTO "events" VALUES (8, 0, 1795369782173, 'turn-started', '979ab91a908a4fa1', 143, '{"v":1,"type":"turn-started","turn":"979ab91a908a4fa1","loopId":"979ab91a908a4fa1","message":"And then?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (9, 327336774898, 1795369782245, 'model-replied', '979ab91a908a4fa1', 247, '{"v":1,"type":"model-replied","turn":"979ab91a908a4fa1","model":"scripted","text":"","toolCalls":[{"id":"979ab91a908a4fa1.9.0","providerId":"call_2_0","name":"pay","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (10, 327336774898, 1795369782245, 'tool-call-started', '979ab91a908a4fa1', 106, '{"v":1,"type":"tool-call-started","turn":"979ab91a908a4fa1","call":"979ab91a908a4fa1.9.0","effect":"once"}');
INSERT INTO "events" VALUES (11, 327336774898, 1795369782326, 'tool-call-ended', '979ab91a908a4fa1', 145, '{"v":1,"type":"tool-call-ended","turn":"979ab91a908a4fa1","call":"979ab91a908a4fa1.9.0","result":{"type":"text","content":"pay is done"},"ms":65}');
INSERT INTO "events" VALUES (12, 327336774898, 1795369782361, 'model-replied', '979ab91a908a4fa1', 386, '{"v":1,"type":"model-replied","turn":"979ab91a908a4fa1","model":"scripted","text":"Paid again as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 327336774898, 1795369782361, 'turn-ended', '979ab91a908a4fa1', 75, '{"v":1,"type":"turn-ended","turn":"979ab91a908a4fa1","outcome":"completed"}');
INSERT INTO "events" VALUES (14, 0, 1795369782396, 'turn-started', '088b50dba3a44003', 137, '{"v":1,"type":"turn-started","turn":"088b50dba3a44003","loopId":"088b50dba3a44003","message":"On.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (15, 327336774899, 1795369782431, 'conversation-compacted', '088b50dba3a44003', 168, '{"v":1,"type":"conversation-compacted","turn":"088b50dba3a44003","summary":"In short: it was paid.","messages":3,"from":8,"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 327336774899, 1795369782456, 'model-replied', '088b50dba3a44003', 248, '{"v":1,"type":"model-replied","turn":"088b50dba3a44003","model":"scripted","text":"","toolCalls":[{"id":"088b50dba3a44003.16.0","providerId":"call_2_0","name":"pay","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 327336774899, 1795369782456, 'tool-call-started', '088b50dba3a44003', 107, '{"v":1,"type":"tool-call-started","turn":"088b50dba3a44003","call":"088b50dba3a44003.16.0","effect":"once"}');
INSERT INTO "events" VALUES (18, 327336774899, 1795369782481, 'tool-call-ended', '088b50dba3a44003', 146, '{"v":1,"type":"tool-call-ended","turn":"088b50dba3a44003","call":"088b50dba3a44003.16.0","result":{"type":"text","content":"pay is done"},"ms":18}');
INSERT INTO "events" VALUES (19, 327336774899, 1795369782496, 'model-replied', '088b50dba3a44003', 390, '{"v":1,"type":"model-replied","turn":"088b50dba3a44003","model":"scripted","text":"Paid once more as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, as you asked, and in the way that you had asked for, .","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 327336774899, 1795369782496, 'turn-ended', '088b50dba3a44003', 75, '{"v":1,"type":"turn-ended","turn":"088b50dba3a44003","outcome":"completed"}');
INSERT INTO "events" VALUES (21, 0, 1795369782507, 'turn-started', '02c31683bc304694', 138, '{"v":1,"type":"turn-started","turn":"02c31683bc304694","loopId":"02c31683bc304694","message":"Yes?","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (22, 327336774900, 1795369782534, 'conversation-compacted', '02c31683bc304694', 175, '{"v":1,"type":"conversation-compacted","turn":"02c31683bc304694","summary":"In short: it was paid twice.","messages":4,"from":14,"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (23, 327336774900, 1795369782537, 'model-replied', '02c31683bc304694', 166, '{"v":1,"type":"model-replied","turn":"02c31683bc304694","model":"scripted","text":"Yes.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (24, 327336774900, 1795369782537, 'turn-ended', '02c31683bc304694', 75, '{"v":1,"type":"turn-ended","turn":"02c31683bc304694","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 327336774900, '667950f7a16b40e9', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "chunks" VALUES ('snapshot', 24, 0, 1006, CAST('{"seq":24,"incarnation":"436b3195817a4164","agent":"compacted","usage":{"inputTokens":900,"outputTokens":90},"blackboard":[],"cells":[],"slices":[["chaining",[]],["unfolding",[]],["state-machines",{}],["playbooks",{}],["process",{"turn":"02c31683bc304694","calls":0,"history":[],"tools":[],"models":[{"model":"scripted","calls":1,"tokens":110}]}],["listings",[]]],"toldLate":[],"closedUnread":[],"compacted":{"summary":"In short: it was paid twice.","from":14},"turn":{"id":"02c31683bc304694","loopId":"02c31683bc304694","context":{},"principal":{"id":"ada"},"artifacts":[],"callsByTool":[],"usage":{"inputTokens":200,"outputTokens":20},"model":"scripted","iterations":1,"toolCalls":0,"limited":false,"scheduled":0,"cancelRequested":false,"resumedSinceReply":0,"resumedIdly":0,"lastEvent":"turn-ended","text":"Yes.","outcome":"completed"}}' AS BLOB), 14);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
