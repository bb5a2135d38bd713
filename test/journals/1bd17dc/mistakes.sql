-- do/holdfast-SessionObject/18dc53e6abe3697898c2751d1855d9e46860f27a2523d05b9ae63e18c89190b6.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","mistakes","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781481, 'session-opened', '', 83, '{"v":1,"type":"session-opened","incarnation":"ddfa8ab653d74322","agent":"mistakes"}');
INSERT INTO "events" VALUES (2, 0, 1795369781481, 'turn-started', '1373c2c1f447460b', 137, '{"v":1,"type":"turn-started","turn":"1373c2c1f447460b","loopId":"1373c2c1f447460b","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 796249113994, 1795369781861, 'model-replied', '1373c2c1f447460b', 455, '{"v":1,"type":"model-replied","turn":"1373c2c1f447460b","model":"scripted","text":"","toolCalls":[{"id":"1373c2c1f447460b.3.0","providerId":"call_0_0","name":"lok_up","input":"{\"item\":\"shell\"}"},{"id":"1373c2c1f447460b.3.1","providerId":"call_0_1","name":"look_up","input":"{\"thing\":1}"},{"id":"1373c2c1f447460b.3.2","providerId":"call_0_2","name":"look_up","input":"{\"item\":"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 796249113994, 1795369781861, 'tool-call-ended', '1373c2c1f447460b', 386, '{"v":1,"type":"tool-call-ended","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.3.0","result":{"type":"error","message":"Tool ''lok_up'' does not exist. Available tools: [break, finish, give_up, look_up, note]. Use the exact tool name from this list. Do not combine or prefix tool names — tool names found in source code or search results are not callable.","reason":"unknown-tool"}}');
INSERT INTO "events" VALUES (5, 796249113994, 1795369781861, 'tool-call-ended', '1373c2c1f447460b', 292, '{"v":1,"type":"tool-call-ended","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.3.2","result":{"type":"error","message":"The input of tool ''look_up'' is not valid JSON: it does not end with ''}'', so it may be cut off. Send one JSON object that matches its schema.","reason":"invalid-input"}}');
INSERT INTO "events" VALUES (6, 796249113994, 1795369781861, 'tool-call-ended', '1373c2c1f447460b', 295, '{"v":1,"type":"tool-call-ended","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.3.1","result":{"type":"error","message":"The input of tool ''look_up'' is not valid:\n- item: Invalid key: Expected \"item\" but received undefined\nCall it again with a corrected input.","reason":"invalid-input"}}');
INSERT INTO "events" VALUES (7, 796249113994, 1795369781958, 'model-replied', '1373c2c1f447460b', 335, '{"v":1,"type":"model-replied","turn":"1373c2c1f447460b","model":"scripted","text":"","toolCalls":[{"id":"1373c2c1f447460b.7.0","providerId":"call_1_0","name":"break","input":"{}"},{"id":"1373c2c1f447460b.7.1","providerId":"call_1_1","name":"note","input":"no JSON"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (8, 796249113994, 1795369781958, 'tool-call-started', '1373c2c1f447460b', 106, '{"v":1,"type":"tool-call-started","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.7.0","effect":"read"}');
INSERT INTO "events" VALUES (9, 796249113994, 1795369781958, 'tool-call-started', '1373c2c1f447460b', 106, '{"v":1,"type":"tool-call-started","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.7.1","effect":"read"}');
INSERT INTO "events" VALUES (10, 796249113994, 1795369781958, 'tool-call-ended', '1373c2c1f447460b', 187, '{"v":1,"type":"tool-call-ended","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.7.0","result":{"type":"error","message":"It is broken. (cause: It fell down.)","reason":"threw"},"ms":0}');
INSERT INTO "events" VALUES (11, 796249113994, 1795369781958, 'tool-call-ended', '1373c2c1f447460b', 147, '{"v":1,"type":"tool-call-ended","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.7.1","result":{"type":"text","content":"Noted: no JSON"},"ms":0}');
INSERT INTO "events" VALUES (12, 796249113994, 1795369782065, 'model-replied', '1373c2c1f447460b', 270, '{"v":1,"type":"model-replied","turn":"1373c2c1f447460b","model":"scripted","text":"","toolCalls":[{"id":"1373c2c1f447460b.12.0","providerId":"call_2_0","name":"look_up","input":"{\"item\":\"shell\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (13, 796249113994, 1795369782065, 'tool-call-started', '1373c2c1f447460b', 107, '{"v":1,"type":"tool-call-started","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.12.0","effect":"read"}');
INSERT INTO "events" VALUES (14, 796249113994, 1795369782065, 'tool-call-ended', '1373c2c1f447460b', 139, '{"v":1,"type":"tool-call-ended","turn":"1373c2c1f447460b","call":"1373c2c1f447460b.12.0","result":{"type":"text","content":"Seen."},"ms":0}');
INSERT INTO "events" VALUES (15, 796249113994, 1795369782117, 'model-replied', '1373c2c1f447460b', 169, '{"v":1,"type":"model-replied","turn":"1373c2c1f447460b","model":"scripted","text":"Mended.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (16, 796249113994, 1795369782117, 'turn-ended', '1373c2c1f447460b', 75, '{"v":1,"type":"turn-ended","turn":"1373c2c1f447460b","outcome":"completed"}');
INSERT INTO "events" VALUES (17, 0, 1795369782201, 'turn-started', 'a234a17970bf4507', 141, '{"v":1,"type":"turn-started","turn":"a234a17970bf4507","loopId":"a234a17970bf4507","message":"Finish.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (18, 796249113995, 1795369782258, 'model-replied', 'a234a17970bf4507', 251, '{"v":1,"type":"model-replied","turn":"a234a17970bf4507","model":"scripted","text":"","toolCalls":[{"id":"a234a17970bf4507.18.0","providerId":"call_4_0","name":"finish","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (19, 796249113995, 1795369782258, 'tool-call-started', 'a234a17970bf4507', 113, '{"v":1,"type":"tool-call-started","turn":"a234a17970bf4507","call":"a234a17970bf4507.18.0","effect":"idempotent"}');
INSERT INTO "events" VALUES (20, 796249113995, 1795369782313, 'tool-call-ended', 'a234a17970bf4507', 163, '{"v":1,"type":"tool-call-ended","turn":"a234a17970bf4507","call":"a234a17970bf4507.18.0","result":{"type":"text","content":"finish is done"},"ms":49,"direct":true}');
INSERT INTO "events" VALUES (21, 796249113995, 1795369782313, 'turn-ended', 'a234a17970bf4507', 81, '{"v":1,"type":"turn-ended","turn":"a234a17970bf4507","outcome":"returned-direct"}');
INSERT INTO "events" VALUES (22, 0, 1795369782352, 'turn-started', 'cf1d975c484e4128', 142, '{"v":1,"type":"turn-started","turn":"cf1d975c484e4128","loopId":"cf1d975c484e4128","message":"Give up.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (23, 796249113996, 1795369782395, 'model-replied', 'cf1d975c484e4128', 252, '{"v":1,"type":"model-replied","turn":"cf1d975c484e4128","model":"scripted","text":"","toolCalls":[{"id":"cf1d975c484e4128.23.0","providerId":"call_5_0","name":"give_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (24, 796249113996, 1795369782395, 'tool-call-started', 'cf1d975c484e4128', 107, '{"v":1,"type":"tool-call-started","turn":"cf1d975c484e4128","call":"cf1d975c484e4128.23.0","effect":"read"}');
INSERT INTO "events" VALUES (25, 796249113996, 1795369782395, 'tool-call-ended', 'cf1d975c484e4128', 264, '{"v":1,"type":"tool-call-ended","turn":"cf1d975c484e4128","call":"cf1d975c484e4128.23.0","result":{"type":"text","content":"There is nothing more to be done.","withheld":true,"signal":{"type":"terminate-agent","reason":"There is nothing more to be done."}},"ms":0}');
INSERT INTO "events" VALUES (26, 796249113996, 1795369782395, 'turn-ended', 'cf1d975c484e4128', 156, '{"v":1,"type":"turn-ended","turn":"cf1d975c484e4128","outcome":"cancelled","signal":{"type":"terminate-agent","reason":"There is nothing more to be done."}}');
INSERT INTO "lease" VALUES (1, 796249113996, '857759241097410f', NULL, 'free', 'started', 0, 0, NULL);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
