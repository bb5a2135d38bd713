-- do/holdfast-SessionObject/3ed2fa7132c117ea0424b5520d3fed33571270950f1be005a71acfa22265a6ec.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-in-agentic-tool","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781494, 'session-opened', '', 97, '{"v":1,"type":"session-opened","incarnation":"c98c1732f7e74afb","agent":"killed-in-agentic-tool"}');
INSERT INTO "events" VALUES (2, 0, 1795369781494, 'turn-started', '3b79f277f94343fb', 137, '{"v":1,"type":"turn-started","turn":"3b79f277f94343fb","loopId":"3b79f277f94343fb","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 608561596432, 1795369781957, 'model-replied', '3b79f277f94343fb', 264, '{"v":1,"type":"model-replied","turn":"3b79f277f94343fb","model":"scripted","text":"","toolCalls":[{"id":"3b79f277f94343fb.3.0","providerId":"call_0_0","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 608561596432, 1795369781957, 'frame-started', '3b79f277f94343fb', 132, '{"v":1,"type":"frame-started","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.3.0","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (5, 608561596432, 1795369782064, 'model-replied', '3b79f277f94343fb', 282, '{"v":1,"type":"model-replied","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.3.0","model":"scripted","text":"","toolCalls":[{"id":"3b79f277f94343fb.5.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (6, 608561596432, 1795369782064, 'tool-call-started', '3b79f277f94343fb', 137, '{"v":1,"type":"tool-call-started","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.3.0","call":"3b79f277f94343fb.5.0","effect":"read"}');
INSERT INTO "events" VALUES (7, 608561596432, 1795369782146, 'tool-call-ended', '3b79f277f94343fb', 180, '{"v":1,"type":"tool-call-ended","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.3.0","call":"3b79f277f94343fb.5.0","result":{"type":"text","content":"look_up is done"},"ms":79}');
INSERT INTO "events" VALUES (8, 608561596432, 1795369782236, 'model-replied', '3b79f277f94343fb', 297, '{"v":1,"type":"model-replied","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.3.0","model":"scripted","text":"","toolCalls":[{"id":"3b79f277f94343fb.8.0","providerId":"call_1_0","name":"deeper","input":"{\"task\":\"pay\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (9, 608561596432, 1795369782236, 'frame-started', '3b79f277f94343fb', 166, '{"v":1,"type":"frame-started","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.8.0","parent":"3b79f277f94343fb.3.0","name":"deeper","message":"{\"task\":\"pay\"}"}');
INSERT INTO "events" VALUES (10, 608561596432, 1795369782277, 'model-replied', '3b79f277f94343fb', 364, '{"v":1,"type":"model-replied","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.8.0","model":"scripted","text":"","toolCalls":[{"id":"3b79f277f94343fb.10.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"3b79f277f94343fb.10.1","providerId":"call_0_1","name":"mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (11, 608561596432, 1795369782277, 'tool-call-started', '3b79f277f94343fb', 138, '{"v":1,"type":"tool-call-started","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.8.0","call":"3b79f277f94343fb.10.0","effect":"once"}');
INSERT INTO "events" VALUES (12, 608561596432, 1795369782277, 'tool-call-started', '3b79f277f94343fb', 144, '{"v":1,"type":"tool-call-started","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.8.0","call":"3b79f277f94343fb.10.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (13, 608561596432, 1795369782341, 'tool-call-ended', '3b79f277f94343fb', 178, '{"v":1,"type":"tool-call-ended","turn":"3b79f277f94343fb","frame":"3b79f277f94343fb.8.0","call":"3b79f277f94343fb.10.1","result":{"type":"text","content":"mail is done"},"ms":44}');
INSERT INTO "lease" VALUES (1, 608561596432, 'ac8fa3af20ef44bf', '3b79f277f94343fb', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('turn', '3b79f277f94343fb', 1795369815676);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815676000000);
