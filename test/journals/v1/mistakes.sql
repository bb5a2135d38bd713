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
INSERT INTO "events" VALUES (1, 0, 1795932561695, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"0b99c70535cf46dd","agent":"mistakes"}');
INSERT INTO "events" VALUES (2, 0, 1795932561695, 'turn-started', '533a556f9ab44761', 137, '{"v":1,"type":"turn-started","turn":"533a556f9ab44761","loopId":"533a556f9ab44761","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 907107843112, 1795932562952, 'model-replied', '533a556f9ab44761', 507, '{"v":1,"type":"model-replied","turn":"533a556f9ab44761","model":"scripted","text":"","toolCalls":[{"id":"533a556f9ab44761.3.0","providerId":"call_0_0","name":"lok_up","input":"{\"item\":\"shell\"}"},{"id":"533a556f9ab44761.3.1","providerId":"call_0_1","name":"look_up","input":"{\"thing\":1}"},{"id":"533a556f9ab44761.3.2","providerId":"call_0_2","name":"look_up","input":"{\"item\":"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 907107843112, 1795932562952, 'tool-call-ended', '533a556f9ab44761', 386, '{"v":1,"type":"tool-call-ended","turn":"533a556f9ab44761","call":"533a556f9ab44761.3.0","result":{"type":"error","message":"Tool ''lok_up'' does not exist. Available tools: [break, finish, give_up, look_up, note]. Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code or search results are not callable.","reason":"unknown-tool"}}');
INSERT INTO "events" VALUES (5, 907107843112, 1795932562952, 'tool-call-ended', '533a556f9ab44761', 292, '{"v":1,"type":"tool-call-ended","turn":"533a556f9ab44761","call":"533a556f9ab44761.3.2","result":{"type":"error","message":"The input of tool ''look_up'' is not valid JSON: it does not end with ''}'', so it may be cut off. Send one JSON object that matches its schema.","reason":"invalid-input"}}');
INSERT INTO "events" VALUES (6, 907107843112, 1795932562952, 'tool-call-ended', '533a556f9ab44761', 295, '{"v":1,"type":"tool-call-ended","turn":"533a556f9ab44761","call":"533a556f9ab44761.3.1","result":{"type":"error","message":"The input of tool ''look_up'' is not valid:\n- item: Invalid key: Expected \"item\" but received undefined\nCall it again with a corrected input.","reason":"invalid-input"}}');
INSERT INTO "events" VALUES (7, 907107843112, 1795932563326, 'model-replied', '533a556f9ab44761', 387, '{"v":1,"type":"model-replied","turn":"533a556f9ab44761","model":"scripted","text":"","toolCalls":[{"id":"533a556f9ab44761.7.0","providerId":"call_1_0","name":"break","input":"{}"},{"id":"533a556f9ab44761.7.1","providerId":"call_1_1","name":"note","input":"no JSON"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (8, 907107843112, 1795932563326, 'tool-call-started', '533a556f9ab44761', 106, '{"v":1,"type":"tool-call-started","turn":"533a556f9ab44761","call":"533a556f9ab44761.7.0","effect":"read"}');
INSERT INTO "events" VALUES (9, 907107843112, 1795932563326, 'tool-call-started', '533a556f9ab44761', 106, '{"v":1,"type":"tool-call-started","turn":"533a556f9ab44761","call":"533a556f9ab44761.7.1","effect":"read"}');
INSERT INTO "events" VALUES (10, 907107843112, 1795932563326, 'tool-call-ended', '533a556f9ab44761', 188, '{"v":1,"type":"tool-call-ended","turn":"533a556f9ab44761","call":"533a556f9ab44761.7.0","result":{"type":"error","message":"It is broken. (cause: It fell down.)","reason":"threw"},"ms":11}');
INSERT INTO "events" VALUES (11, 907107843112, 1795932563326, 'tool-call-ended', '533a556f9ab44761', 147, '{"v":1,"type":"tool-call-ended","turn":"533a556f9ab44761","call":"533a556f9ab44761.7.1","result":{"type":"text","content":"Noted: no JSON"},"ms":1}');
INSERT INTO "events" VALUES (12, 907107843112, 1795932563760, 'model-replied', '533a556f9ab44761', 322, '{"v":1,"type":"model-replied","turn":"533a556f9ab44761","model":"scripted","text":"","toolCalls":[{"id":"533a556f9ab44761.12.0","providerId":"call_2_0","name":"look_up","input":"{\"item\":\"shell\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 907107843112, 1795932563760, 'tool-call-started', '533a556f9ab44761', 107, '{"v":1,"type":"tool-call-started","turn":"533a556f9ab44761","call":"533a556f9ab44761.12.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 907107843112, 1795932563760, 'tool-call-ended', '533a556f9ab44761', 139, '{"v":1,"type":"tool-call-ended","turn":"533a556f9ab44761","call":"533a556f9ab44761.12.0","result":{"type":"text","content":"Seen."},"ms":0}');
INSERT INTO "events" VALUES (15, 907107843112, 1795932564099, 'model-replied', '533a556f9ab44761', 221, '{"v":1,"type":"model-replied","turn":"533a556f9ab44761","model":"scripted","text":"Mended.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 907107843112, 1795932564099, 'turn-ended', '533a556f9ab44761', 75, '{"v":1,"type":"turn-ended","turn":"533a556f9ab44761","outcome":"completed"}');
INSERT INTO "events" VALUES (17, 0, 1795932564477, 'turn-started', 'ffe155bc5c434bb0', 141, '{"v":1,"type":"turn-started","turn":"ffe155bc5c434bb0","loopId":"ffe155bc5c434bb0","message":"Finish.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (18, 907107843113, 1795932564752, 'model-replied', 'ffe155bc5c434bb0', 303, '{"v":1,"type":"model-replied","turn":"ffe155bc5c434bb0","model":"scripted","text":"","toolCalls":[{"id":"ffe155bc5c434bb0.18.0","providerId":"call_4_0","name":"finish","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (19, 907107843113, 1795932564752, 'tool-call-started', 'ffe155bc5c434bb0', 113, '{"v":1,"type":"tool-call-started","turn":"ffe155bc5c434bb0","call":"ffe155bc5c434bb0.18.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (20, 907107843113, 1795932564932, 'tool-call-ended', 'ffe155bc5c434bb0', 164, '{"v":1,"type":"tool-call-ended","turn":"ffe155bc5c434bb0","call":"ffe155bc5c434bb0.18.0","result":{"type":"text","content":"finish is done"},"ms":126,"direct":true}');
INSERT INTO "events" VALUES (21, 907107843113, 1795932564932, 'turn-ended', 'ffe155bc5c434bb0', 81, '{"v":1,"type":"turn-ended","turn":"ffe155bc5c434bb0","outcome":"returned-direct"}');
INSERT INTO "events" VALUES (22, 0, 1795932565092, 'turn-started', '58d29bc5e54747e9', 142, '{"v":1,"type":"turn-started","turn":"58d29bc5e54747e9","loopId":"58d29bc5e54747e9","message":"Give up.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (23, 907107843114, 1795932565272, 'model-replied', '58d29bc5e54747e9', 304, '{"v":1,"type":"model-replied","turn":"58d29bc5e54747e9","model":"scripted","text":"","toolCalls":[{"id":"58d29bc5e54747e9.23.0","providerId":"call_5_0","name":"give_up","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"wq5si7"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (24, 907107843114, 1795932565272, 'tool-call-started', '58d29bc5e54747e9', 107, '{"v":1,"type":"tool-call-started","turn":"58d29bc5e54747e9","call":"58d29bc5e54747e9.23.0","effect":"read"}');
INSERT INTO "events" VALUES (25, 907107843114, 1795932565272, 'tool-call-ended', '58d29bc5e54747e9', 264, '{"v":1,"type":"tool-call-ended","turn":"58d29bc5e54747e9","call":"58d29bc5e54747e9.23.0","result":{"type":"text","content":"There is nothing more to be done.","withheld":true,"signal":{"type":"terminate-agent","reason":"There is nothing more to be done."}},"ms":1}');
INSERT INTO "events" VALUES (26, 907107843114, 1795932565272, 'turn-ended', '58d29bc5e54747e9', 156, '{"v":1,"type":"turn-ended","turn":"58d29bc5e54747e9","outcome":"cancelled","signal":{"type":"terminate-agent","reason":"There is nothing more to be done."}}');
INSERT INTO "lease" VALUES (1, 907107843114, '877e067361e84e47', NULL, 'free', 'started', 0, 0, 1795932565273, 26, 1795932565092, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
