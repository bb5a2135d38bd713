-- do/holdfast-SessionObject/af48d26435fe1ac0f6f135034f5bf75a9db03b621b43382a5ce61d3eb5d0ff52.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","chained","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290472, 'session-opened', '', 82, '{"v":1,"type":"session-opened","incarnation":"0a8f33fd160b468d","agent":"chained"}');
INSERT INTO "events" VALUES (2, 0, 1795934290472, 'turn-started', '1f7e2dfecee24d82', 137, '{"v":1,"type":"turn-started","turn":"1f7e2dfecee24d82","loopId":"1f7e2dfecee24d82","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 1056420525230, 1795934294821, 'model-replied', '1f7e2dfecee24d82', 321, '{"v":1,"type":"model-replied","turn":"1f7e2dfecee24d82","model":"scripted","text":"","toolCalls":[{"id":"1f7e2dfecee24d82.3.0","providerId":"call_0_0","name":"get_customer","input":"{\"id\":\"c1\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"dg4y4m"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 1056420525230, 1795934294821, 'tool-call-started', '1f7e2dfecee24d82', 106, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 1056420525230, 1795934294821, 'tool-call-ended', '1f7e2dfecee24d82', 300, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.3.0","result":{"type":"artifact","artifactType":"Customer","value":{"id":"c1","since":"2020-05-01"}},"ms":0,"changes":{"facts":[{"slice":"chaining","fact":{"as":"one","key":"","type":"Customer"},"at":1795934293842}]}}');
INSERT INTO "events" VALUES (6, 1056420525230, 1795934296045, 'model-replied', '1f7e2dfecee24d82', 388, '{"v":1,"type":"model-replied","turn":"1f7e2dfecee24d82","model":"scripted","text":"","toolCalls":[{"id":"1f7e2dfecee24d82.6.0","providerId":"call_1_0","name":"greet","input":"{}"},{"id":"1f7e2dfecee24d82.6.1","providerId":"call_1_1","name":"last_order","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"dg4y4m"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 1056420525230, 1795934296045, 'tool-call-started', '1f7e2dfecee24d82', 112, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.6.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (8, 1056420525230, 1795934296045, 'tool-call-started', '1f7e2dfecee24d82', 106, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.6.1","effect":"read"}');
INSERT INTO "events" VALUES (9, 1056420525230, 1795934296298, 'tool-call-ended', '1f7e2dfecee24d82', 285, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.6.1","result":{"type":"artifact","artifactType":"Order","value":{"id":"o-c1","of":"c1"}},"ms":1,"changes":{"facts":[{"slice":"chaining","fact":{"as":"one","key":"","type":"Order"},"at":1795934295751}]}}');
INSERT INTO "events" VALUES (10, 1056420525230, 1795934296298, 'tool-call-ended', '1f7e2dfecee24d82', 154, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.6.0","result":{"type":"text","content":"Good day, c1 of 2020."},"ms":0}');
INSERT INTO "events" VALUES (11, 1056420525230, 1795934297317, 'model-replied', '1f7e2dfecee24d82', 412, '{"v":1,"type":"model-replied","turn":"1f7e2dfecee24d82","model":"scripted","text":"","toolCalls":[{"id":"1f7e2dfecee24d82.11.0","providerId":"call_2_0","name":"get_customer","input":"{\"id\":\"c2\"}"},{"id":"1f7e2dfecee24d82.11.1","providerId":"call_2_1","name":"list_parcels","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"dg4y4m"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (12, 1056420525230, 1795934297317, 'tool-call-started', '1f7e2dfecee24d82', 107, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.11.1","effect":"read"}');
INSERT INTO "events" VALUES (13, 1056420525230, 1795934297317, 'tool-call-started', '1f7e2dfecee24d82', 107, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.11.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 1056420525230, 1795934297317, 'tool-call-ended', '1f7e2dfecee24d82', 461, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.11.1","result":{"type":"artifact","content":"Two.\n\n_availableOperations: parcel_p1_track, parcel_p2_track","artifactType":"Parcel","value":[{"id":"p1"},{"id":"p2"}]},"ms":4,"changes":{"facts":[{"slice":"chaining","fact":{"as":"many","key":"","type":"Parcel","max":64,"objects":[{"at":0,"id":"p1","tools":["track"]},{"at":1,"id":"p2","tools":["track"]}]},"at":1795934296996}]}}');
INSERT INTO "events" VALUES (15, 1056420525230, 1795934297317, 'tool-call-ended', '1f7e2dfecee24d82', 301, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.11.0","result":{"type":"artifact","artifactType":"Customer","value":{"id":"c2","since":"2020-05-01"}},"ms":4,"changes":{"facts":[{"slice":"chaining","fact":{"as":"one","key":"","type":"Customer"},"at":1795934296996}]}}');
INSERT INTO "events" VALUES (16, 1056420525230, 1795934297317, 'tools-changed', '1f7e2dfecee24d82', 462, '{"v":1,"type":"tools-changed","turn":"1f7e2dfecee24d82","cause":"session","came":[{"name":"parcel_p1_track","hash":"irwj3h"},{"name":"parcel_p2_track","hash":"1sv75hz"}],"went":[],"all":[{"name":"get_customer","hash":"1rdhzvz"},{"name":"greet","hash":"1rl9di5"},{"name":"last_order","hash":"9o72zj"},{"name":"list_parcels","hash":"1md3l23"},{"name":"ship","hash":"1e9dbbr"},{"name":"parcel_p1_track","hash":"irwj3h"},{"name":"parcel_p2_track","hash":"1sv75hz"}]}');
INSERT INTO "events" VALUES (17, 1056420525230, 1795934297985, 'model-replied', '1f7e2dfecee24d82', 395, '{"v":1,"type":"model-replied","turn":"1f7e2dfecee24d82","model":"scripted","text":"","toolCalls":[{"id":"1f7e2dfecee24d82.17.0","providerId":"call_3_0","name":"greet","input":"{}"},{"id":"1f7e2dfecee24d82.17.1","providerId":"call_3_1","name":"parcel_p1_track","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"z13q6l"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (18, 1056420525230, 1795934297985, 'tool-call-started', '1f7e2dfecee24d82', 113, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.17.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (19, 1056420525230, 1795934297985, 'tool-call-started', '1f7e2dfecee24d82', 107, '{"v":1,"type":"tool-call-started","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.17.1","effect":"read"}');
INSERT INTO "events" VALUES (20, 1056420525230, 1795934298339, 'tool-call-ended', '1f7e2dfecee24d82', 145, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.17.1","result":{"type":"text","content":"p1 is near."},"ms":0}');
INSERT INTO "events" VALUES (21, 1056420525230, 1795934298339, 'tool-call-ended', '1f7e2dfecee24d82', 155, '{"v":1,"type":"tool-call-ended","turn":"1f7e2dfecee24d82","call":"1f7e2dfecee24d82.17.0","result":{"type":"text","content":"Good day, c2 of 2020."},"ms":0}');
INSERT INTO "events" VALUES (22, 1056420525230, 1795934298868, 'model-replied', '1f7e2dfecee24d82', 222, '{"v":1,"type":"model-replied","turn":"1f7e2dfecee24d82","model":"scripted","text":"Greeted.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"z13q6l"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (23, 1056420525230, 1795934298868, 'turn-ended', '1f7e2dfecee24d82', 75, '{"v":1,"type":"turn-ended","turn":"1f7e2dfecee24d82","outcome":"completed"}');
INSERT INTO "lease" VALUES (1, 1056420525230, '805147621075428a', NULL, 'free', 'started', 0, 0, 1795934298868, 23, 1795934290473, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
