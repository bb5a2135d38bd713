-- do/holdfast-SessionObject/af48d26435fe1ac0f6f135034f5bf75a9db03b621b43382a5ce61d3eb5d0ff52.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","chained","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781488, 'session-opened', '', 82, '{"v":1,"type":"session-opened","incarnation":"e91a547badf84036","agent":"chained"}');
INSERT INTO "events" VALUES (2, 0, 1795369781488, 'turn-started', '3e58eb2037ec4263', 137, '{"v":1,"type":"turn-started","turn":"3e58eb2037ec4263","loopId":"3e58eb2037ec4263","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 768492832762, 1795369781862, 'model-replied', '3e58eb2037ec4263', 269, '{"v":1,"type":"model-replied","turn":"3e58eb2037ec4263","model":"scripted","text":"","toolCalls":[{"id":"3e58eb2037ec4263.3.0","providerId":"call_0_0","name":"get_customer","input":"{\"id\":\"c1\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 768492832762, 1795369781862, 'tool-call-started', '3e58eb2037ec4263', 106, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 768492832762, 1795369781862, 'tool-call-ended', '3e58eb2037ec4263', 281, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.3.0","result":{"type":"artifact","value":{"id":"c1","since":"2020-05-01"},"artifactType":"Customer"},"ms":0,"changes":{"facts":[{"slice":"chaining","fact":{"as":"one","key":"","type":"Customer"}}]}}');
INSERT INTO "events" VALUES (6, 768492832762, 1795369781937, 'model-replied', '3e58eb2037ec4263', 336, '{"v":1,"type":"model-replied","turn":"3e58eb2037ec4263","model":"scripted","text":"","toolCalls":[{"id":"3e58eb2037ec4263.6.0","providerId":"call_1_0","name":"greet","input":"{}"},{"id":"3e58eb2037ec4263.6.1","providerId":"call_1_1","name":"last_order","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 768492832762, 1795369781937, 'tool-call-started', '3e58eb2037ec4263', 112, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.6.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (8, 768492832762, 1795369781937, 'tool-call-started', '3e58eb2037ec4263', 106, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.6.1","effect":"read"}');
INSERT INTO "events" VALUES (9, 768492832762, 1795369781958, 'tool-call-ended', '3e58eb2037ec4263', 266, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.6.1","result":{"type":"artifact","value":{"id":"o-c1","of":"c1"},"artifactType":"Order"},"ms":0,"changes":{"facts":[{"slice":"chaining","fact":{"as":"one","key":"","type":"Order"}}]}}');
INSERT INTO "events" VALUES (10, 768492832762, 1795369781958, 'tool-call-ended', '3e58eb2037ec4263', 154, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.6.0","result":{"type":"text","content":"Good day, c1 of 2020."},"ms":0}');
INSERT INTO "events" VALUES (11, 768492832762, 1795369782065, 'model-replied', '3e58eb2037ec4263', 360, '{"v":1,"type":"model-replied","turn":"3e58eb2037ec4263","model":"scripted","text":"","toolCalls":[{"id":"3e58eb2037ec4263.11.0","providerId":"call_2_0","name":"get_customer","input":"{\"id\":\"c2\"}"},{"id":"3e58eb2037ec4263.11.1","providerId":"call_2_1","name":"list_parcels","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 768492832762, 1795369782065, 'tool-call-started', '3e58eb2037ec4263', 107, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.11.1","effect":"read"}');
INSERT INTO "events" VALUES (13, 768492832762, 1795369782065, 'tool-call-started', '3e58eb2037ec4263', 107, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.11.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 768492832762, 1795369782065, 'tool-call-ended', '3e58eb2037ec4263', 442, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.11.1","result":{"type":"artifact","content":"Two.\n\n_availableOperations: parcel_p1_track, parcel_p2_track","value":[{"id":"p1"},{"id":"p2"}],"artifactType":"Parcel"},"ms":0,"changes":{"facts":[{"slice":"chaining","fact":{"as":"many","key":"","type":"Parcel","max":64,"objects":[{"at":0,"id":"p1","tools":["track"]},{"at":1,"id":"p2","tools":["track"]}]}}]}}');
INSERT INTO "events" VALUES (15, 768492832762, 1795369782065, 'tool-call-ended', '3e58eb2037ec4263', 282, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.11.0","result":{"type":"artifact","value":{"id":"c2","since":"2020-05-01"},"artifactType":"Customer"},"ms":0,"changes":{"facts":[{"slice":"chaining","fact":{"as":"one","key":"","type":"Customer"}}]}}');
INSERT INTO "events" VALUES (16, 768492832762, 1795369782117, 'model-replied', '3e58eb2037ec4263', 343, '{"v":1,"type":"model-replied","turn":"3e58eb2037ec4263","model":"scripted","text":"","toolCalls":[{"id":"3e58eb2037ec4263.16.0","providerId":"call_3_0","name":"greet","input":"{}"},{"id":"3e58eb2037ec4263.16.1","providerId":"call_3_1","name":"parcel_p1_track","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 768492832762, 1795369782117, 'tool-call-started', '3e58eb2037ec4263', 113, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.16.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (18, 768492832762, 1795369782117, 'tool-call-started', '3e58eb2037ec4263', 107, '{"v":1,"type":"tool-call-started","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.16.1","effect":"read"}');
INSERT INTO "events" VALUES (19, 768492832762, 1795369782146, 'tool-call-ended', '3e58eb2037ec4263', 145, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.16.1","result":{"type":"text","content":"p1 is near."},"ms":1}');
INSERT INTO "events" VALUES (20, 768492832762, 1795369782146, 'tool-call-ended', '3e58eb2037ec4263', 155, '{"v":1,"type":"tool-call-ended","turn":"3e58eb2037ec4263","call":"3e58eb2037ec4263.16.0","result":{"type":"text","content":"Good day, c2 of 2020."},"ms":0}');
INSERT INTO "events" VALUES (21, 768492832762, 1795369782221, 'model-replied', '3e58eb2037ec4263', 170, '{"v":1,"type":"model-replied","turn":"3e58eb2037ec4263","model":"scripted","text":"Greeted.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (22, 768492832762, 1795369782221, 'turn-ended', '3e58eb2037ec4263', 75, '{"v":1,"type":"turn-ended","turn":"3e58eb2037ec4263","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 768492832762, 'd493d7d327e84c67', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
