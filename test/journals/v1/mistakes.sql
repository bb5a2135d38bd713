-- do/holdfast-SessionObject/18dc53e6abe3697898c2751d1855d9e46860f27a2523d05b9ae63e18c89190b6.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","mistakes","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290390, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"150147d87eed420b","agent":"mistakes"}');
INSERT INTO "events" VALUES (2, 0, 1795934290390, 'turn-started', '3ce939bbfc844f55', 137, '{"v":1,"type":"turn-started","turn":"3ce939bbfc844f55","loopId":"3ce939bbfc844f55","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 532650229150, 1795934294806, 'model-replied', '3ce939bbfc844f55', 507, '{"v":1,"type":"model-replied","turn":"3ce939bbfc844f55","model":"scripted","text":"","toolCalls":[{"id":"3ce939bbfc844f55.3.0","providerId":"call_0_0","name":"lok_up","input":"{\"item\":\"shell\"}"},{"id":"3ce939bbfc844f55.3.1","providerId":"call_0_1","name":"look_up","input":"{\"thing\":1}"},{"id":"3ce939bbfc844f55.3.2","providerId":"call_0_2","name":"look_up","input":"{\"item\":"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 532650229150, 1795934294806, 'tool-call-ended', '3ce939bbfc844f55', 386, '{"v":1,"type":"tool-call-ended","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.3.0","result":{"type":"error","message":"Tool ''lok_up'' does not exist. Available tools: [break, finish, give_up, look_up, note]. Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code or search results are not callable.","reason":"unknown-tool"}}');
INSERT INTO "events" VALUES (5, 532650229150, 1795934294806, 'tool-call-ended', '3ce939bbfc844f55', 292, '{"v":1,"type":"tool-call-ended","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.3.2","result":{"type":"error","message":"The input of tool ''look_up'' is not valid JSON: it does not end with ''}'', so it may be cut off. Send one JSON object that matches its schema.","reason":"invalid-input"}}');
INSERT INTO "events" VALUES (6, 532650229150, 1795934294806, 'tool-call-ended', '3ce939bbfc844f55', 295, '{"v":1,"type":"tool-call-ended","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.3.1","result":{"type":"error","message":"The input of tool ''look_up'' is not valid:\n- item: Invalid key: Expected \"item\" but received undefined\nCall it again with a corrected input.","reason":"invalid-input"}}');
INSERT INTO "events" VALUES (7, 532650229150, 1795934296287, 'model-replied', '3ce939bbfc844f55', 387, '{"v":1,"type":"model-replied","turn":"3ce939bbfc844f55","model":"scripted","text":"","toolCalls":[{"id":"3ce939bbfc844f55.7.0","providerId":"call_1_0","name":"break","input":"{}"},{"id":"3ce939bbfc844f55.7.1","providerId":"call_1_1","name":"note","input":"no JSON"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (8, 532650229150, 1795934296287, 'tool-call-started', '3ce939bbfc844f55', 106, '{"v":1,"type":"tool-call-started","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.7.0","effect":"read"}');
INSERT INTO "events" VALUES (9, 532650229150, 1795934296287, 'tool-call-started', '3ce939bbfc844f55', 106, '{"v":1,"type":"tool-call-started","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.7.1","effect":"read"}');
INSERT INTO "events" VALUES (10, 532650229150, 1795934296287, 'tool-call-ended', '3ce939bbfc844f55', 188, '{"v":1,"type":"tool-call-ended","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.7.0","result":{"type":"error","message":"It is broken. (cause: It fell down.)","reason":"threw"},"ms":37}');
INSERT INTO "events" VALUES (11, 532650229150, 1795934296287, 'tool-call-ended', '3ce939bbfc844f55', 147, '{"v":1,"type":"tool-call-ended","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.7.1","result":{"type":"text","content":"Noted: no JSON"},"ms":4}');
INSERT INTO "events" VALUES (12, 532650229150, 1795934297314, 'model-replied', '3ce939bbfc844f55', 322, '{"v":1,"type":"model-replied","turn":"3ce939bbfc844f55","model":"scripted","text":"","toolCalls":[{"id":"3ce939bbfc844f55.12.0","providerId":"call_2_0","name":"look_up","input":"{\"item\":\"shell\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 532650229150, 1795934297314, 'tool-call-started', '3ce939bbfc844f55', 107, '{"v":1,"type":"tool-call-started","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.12.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 532650229150, 1795934297314, 'tool-call-ended', '3ce939bbfc844f55', 139, '{"v":1,"type":"tool-call-ended","turn":"3ce939bbfc844f55","call":"3ce939bbfc844f55.12.0","result":{"type":"text","content":"Seen."},"ms":0}');
INSERT INTO "events" VALUES (15, 532650229150, 1795934297984, 'model-replied', '3ce939bbfc844f55', 221, '{"v":1,"type":"model-replied","turn":"3ce939bbfc844f55","model":"scripted","text":"Mended.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 532650229150, 1795934297984, 'turn-ended', '3ce939bbfc844f55', 75, '{"v":1,"type":"turn-ended","turn":"3ce939bbfc844f55","outcome":"completed"}');
INSERT INTO "events" VALUES (17, 0, 1795934298753, 'turn-started', 'b65243fd7ed44ed6', 141, '{"v":1,"type":"turn-started","turn":"b65243fd7ed44ed6","loopId":"b65243fd7ed44ed6","message":"Finish.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (18, 532650229151, 1795934299321, 'model-replied', 'b65243fd7ed44ed6', 303, '{"v":1,"type":"model-replied","turn":"b65243fd7ed44ed6","model":"scripted","text":"","toolCalls":[{"id":"b65243fd7ed44ed6.18.0","providerId":"call_4_0","name":"finish","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (19, 532650229151, 1795934299321, 'tool-call-started', 'b65243fd7ed44ed6', 113, '{"v":1,"type":"tool-call-started","turn":"b65243fd7ed44ed6","call":"b65243fd7ed44ed6.18.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (20, 532650229151, 1795934299749, 'tool-call-ended', 'b65243fd7ed44ed6', 164, '{"v":1,"type":"tool-call-ended","turn":"b65243fd7ed44ed6","call":"b65243fd7ed44ed6.18.0","result":{"type":"text","content":"finish is done"},"ms":374,"direct":true}');
INSERT INTO "events" VALUES (21, 532650229151, 1795934299749, 'turn-ended', 'b65243fd7ed44ed6', 81, '{"v":1,"type":"turn-ended","turn":"b65243fd7ed44ed6","outcome":"returned-direct"}');
INSERT INTO "events" VALUES (22, 0, 1795934300092, 'turn-started', 'c0ab45ed75c74bb9', 142, '{"v":1,"type":"turn-started","turn":"c0ab45ed75c74bb9","loopId":"c0ab45ed75c74bb9","message":"Give up.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (23, 532650229152, 1795934300503, 'model-replied', 'c0ab45ed75c74bb9', 304, '{"v":1,"type":"model-replied","turn":"c0ab45ed75c74bb9","model":"scripted","text":"","toolCalls":[{"id":"c0ab45ed75c74bb9.23.0","providerId":"call_5_0","name":"give_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (24, 532650229152, 1795934300503, 'tool-call-started', 'c0ab45ed75c74bb9', 107, '{"v":1,"type":"tool-call-started","turn":"c0ab45ed75c74bb9","call":"c0ab45ed75c74bb9.23.0","effect":"read"}');
INSERT INTO "events" VALUES (25, 532650229152, 1795934300503, 'tool-call-ended', 'c0ab45ed75c74bb9', 264, '{"v":1,"type":"tool-call-ended","turn":"c0ab45ed75c74bb9","call":"c0ab45ed75c74bb9.23.0","result":{"type":"text","content":"There is nothing more to be done.","withheld":true,"signal":{"type":"terminate-agent","reason":"There is nothing more to be done."}},"ms":0}');
INSERT INTO "events" VALUES (26, 532650229152, 1795934300503, 'turn-ended', 'c0ab45ed75c74bb9', 156, '{"v":1,"type":"turn-ended","turn":"c0ab45ed75c74bb9","outcome":"cancelled","signal":{"type":"terminate-agent","reason":"There is nothing more to be done."}}');
INSERT INTO "lease" VALUES (1, 532650229152, 'eb642eaeea7449db', NULL, 'free', 'started', 0, 0, 1795934300503, 26, 1795934300092, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
