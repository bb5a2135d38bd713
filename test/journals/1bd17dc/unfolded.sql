-- do/holdfast-SessionObject/085247559407eed1d385fed4d873f4df0d82ba29a00a54c5a1d18712a42530cc.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","unfolded","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781487, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"b0a4160d00134285","agent":"unfolded"}');
INSERT INTO "events" VALUES (2, 0, 1795369781487, 'turn-started', '9485ccd198b84d38', 137, '{"v":1,"type":"turn-started","turn":"9485ccd198b84d38","loopId":"9485ccd198b84d38","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 384550123008, 1795369781862, 'model-replied', '9485ccd198b84d38', 360, '{"v":1,"type":"model-replied","turn":"9485ccd198b84d38","model":"scripted","text":"","toolCalls":[{"id":"9485ccd198b84d38.3.0","providerId":"call_0_0","name":"files","input":"{}"},{"id":"9485ccd198b84d38.3.1","providerId":"call_0_1","name":"shop","input":"{\"shelves\":[\"tea\",\"milk\"]}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 384550123008, 1795369781862, 'tool-call-ended', '9485ccd198b84d38', 390, '{"v":1,"type":"tool-call-ended","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.3.0","result":{"type":"text","content":"Tools now available: read_file, write_file. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool.\n\nRead before you write."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"files","scope":"session"}}]}}');
INSERT INTO "events" VALUES (5, 384550123008, 1795369781862, 'tool-call-ended', '9485ccd198b84d38', 429, '{"v":1,"type":"tool-call-ended","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.3.1","result":{"type":"text","content":"Tools now available: take_tea, take_milk. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"shop","scope":"session","input":{"shelves":["tea","milk"]},"names":["take_tea","take_milk"]}}]}}');
INSERT INTO "events" VALUES (6, 384550123008, 1795369781937, 'model-replied', '9485ccd198b84d38', 338, '{"v":1,"type":"model-replied","turn":"9485ccd198b84d38","model":"scripted","text":"","toolCalls":[{"id":"9485ccd198b84d38.6.0","providerId":"call_1_0","name":"read_file","input":"{}"},{"id":"9485ccd198b84d38.6.1","providerId":"call_1_1","name":"take_tea","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 384550123008, 1795369781937, 'tool-call-started', '9485ccd198b84d38', 106, '{"v":1,"type":"tool-call-started","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.6.0","effect":"read"}');
INSERT INTO "events" VALUES (8, 384550123008, 1795369781937, 'tool-call-started', '9485ccd198b84d38', 112, '{"v":1,"type":"tool-call-started","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.6.1","effect":"idempotent"}');
INSERT INTO "events" VALUES (9, 384550123008, 1795369782065, 'tool-call-ended', '9485ccd198b84d38', 152, '{"v":1,"type":"tool-call-ended","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.6.0","result":{"type":"text","content":"read_file is done"},"ms":106}');
INSERT INTO "events" VALUES (10, 384550123008, 1795369782065, 'tool-call-ended', '9485ccd198b84d38', 150, '{"v":1,"type":"tool-call-ended","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.6.1","result":{"type":"text","content":"take_tea is done"},"ms":92}');
INSERT INTO "events" VALUES (11, 384550123008, 1795369782146, 'model-replied', '9485ccd198b84d38', 272, '{"v":1,"type":"model-replied","turn":"9485ccd198b84d38","model":"scripted","text":"","toolCalls":[{"id":"9485ccd198b84d38.11.0","providerId":"call_2_0","name":"office","input":"{\"category\":\"desk\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 384550123008, 1795369782146, 'tool-call-ended', '9485ccd198b84d38', 359, '{"v":1,"type":"tool-call-ended","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.11.0","result":{"type":"text","content":"Tools now available: tidy. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"office","input":{"category":"desk"}}}]}}');
INSERT INTO "events" VALUES (13, 384550123008, 1795369782221, 'model-replied', '9485ccd198b84d38', 249, '{"v":1,"type":"model-replied","turn":"9485ccd198b84d38","model":"scripted","text":"","toolCalls":[{"id":"9485ccd198b84d38.13.0","providerId":"call_3_0","name":"tidy","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 384550123008, 1795369782221, 'tool-call-started', '9485ccd198b84d38', 113, '{"v":1,"type":"tool-call-started","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.13.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (15, 384550123008, 1795369782288, 'tool-call-ended', '9485ccd198b84d38', 147, '{"v":1,"type":"tool-call-ended","turn":"9485ccd198b84d38","call":"9485ccd198b84d38.13.0","result":{"type":"text","content":"tidy is done"},"ms":49}');
INSERT INTO "events" VALUES (16, 384550123008, 1795369782327, 'model-replied', '9485ccd198b84d38', 169, '{"v":1,"type":"model-replied","turn":"9485ccd198b84d38","model":"scripted","text":"Tidied.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 384550123008, 1795369782327, 'turn-ended', '9485ccd198b84d38', 75, '{"v":1,"type":"turn-ended","turn":"9485ccd198b84d38","outcome":"completed"}');
INSERT INTO "events" VALUES (18, 0, 1795369782363, 'turn-started', 'e1e2e1373b9e42cf', 140, '{"v":1,"type":"turn-started","turn":"e1e2e1373b9e42cf","loopId":"e1e2e1373b9e42cf","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (19, 384550123009, 1795369782412, 'model-replied', 'e1e2e1373b9e42cf', 272, '{"v":1,"type":"model-replied","turn":"e1e2e1373b9e42cf","model":"scripted","text":"","toolCalls":[{"id":"e1e2e1373b9e42cf.19.0","providerId":"call_5_0","name":"office","input":"{\"category\":\"mail\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (20, 384550123009, 1795369782412, 'tool-call-ended', 'e1e2e1373b9e42cf', 364, '{"v":1,"type":"tool-call-ended","turn":"e1e2e1373b9e42cf","call":"e1e2e1373b9e42cf.19.0","result":{"type":"text","content":"Tools now available: send_mail. You MUST call one of these tools to complete the user''s request. Do NOT respond with text — call a tool."},"changes":{"facts":[{"slice":"unfolding","fact":{"facade":"office","input":{"category":"mail"}}}]}}');
INSERT INTO "events" VALUES (21, 384550123009, 1795369782432, 'model-replied', 'e1e2e1373b9e42cf', 254, '{"v":1,"type":"model-replied","turn":"e1e2e1373b9e42cf","model":"scripted","text":"","toolCalls":[{"id":"e1e2e1373b9e42cf.21.0","providerId":"call_6_0","name":"send_mail","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 384550123009, 1795369782432, 'tool-call-suspended', 'e1e2e1373b9e42cf', 324, '{"v":1,"type":"tool-call-suspended","turn":"e1e2e1373b9e42cf","call":"e1e2e1373b9e42cf.21.0","wait":{"for":"decision","message":"Send it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"206926b94f8df52cc1faf6e900b321eee53d1c5613331be45b625db57281884a"}}');
INSERT INTO "lease" VALUES (1, 384550123009, '672b1b6abe01421c', 'e1e2e1373b9e42cf', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
