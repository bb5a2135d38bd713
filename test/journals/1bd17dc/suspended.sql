-- do/holdfast-SessionObject/f5f79a98f54d3fb6482b0da3f2688a409e986b5e875badb0203031ab0fcbbaf6.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (2, '["ada","suspended","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781497, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"ae961eb291534e26","agent":"suspended"}');
INSERT INTO "events" VALUES (2, 0, 1795369781497, 'turn-started', '17b3075a295940d2', 140, '{"v":1,"type":"turn-started","turn":"17b3075a295940d2","loopId":"17b3075a295940d2","message":"First.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 167163093784, 1795369781886, 'model-replied', '17b3075a295940d2', 357, '{"v":1,"type":"model-replied","turn":"17b3075a295940d2","model":"scripted","text":"","toolCalls":[{"id":"17b3075a295940d2.3.0","providerId":"call_0_0","name":"refund","input":"{\"amount\":1}"},{"id":"17b3075a295940d2.3.1","providerId":"call_0_1","name":"refund","input":"{\"amount\":2}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 167163093784, 1795369781886, 'tool-call-suspended', '17b3075a295940d2', 373, '{"v":1,"type":"tool-call-suspended","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.0","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"10c713bff51a53f1194ecaa832bab58b5e72c14ca4860acc35fee87533c2d348"}}');
INSERT INTO "events" VALUES (5, 167163093784, 1795369781886, 'tool-call-suspended', '17b3075a295940d2', 373, '{"v":1,"type":"tool-call-suspended","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"251100eb51bc33eb8889bb4be7dcb13bd9be12f2b4d7dc71d959bf20ae351c04"}}');
INSERT INTO "events" VALUES (6, 167163093785, 1795369782053, 'turn-resumed', '17b3075a295940d2', 77, '{"v":1,"type":"turn-resumed","turn":"17b3075a295940d2","cause":"handed-over"}');
INSERT INTO "events" VALUES (7, 167163093785, 1795369782053, 'tool-call-answered', '17b3075a295940d2', 152, '{"v":1,"type":"tool-call-answered","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.0","answer":{"type":"decision","decision":"approve","by":"ada"}}');
INSERT INTO "events" VALUES (8, 167163093786, 1795369782183, 'turn-resumed', '17b3075a295940d2', 77, '{"v":1,"type":"turn-resumed","turn":"17b3075a295940d2","cause":"handed-over"}');
INSERT INTO "events" VALUES (9, 167163093786, 1795369782183, 'tool-call-answered', '17b3075a295940d2', 172, '{"v":1,"type":"tool-call-answered","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.1","answer":{"type":"decision","decision":"reject","reason":"Too much.","by":"ada"}}');
INSERT INTO "events" VALUES (10, 167163093786, 1795369782183, 'tool-call-started', '17b3075a295940d2', 106, '{"v":1,"type":"tool-call-started","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.0","effect":"once"}');
INSERT INTO "events" VALUES (11, 167163093786, 1795369782198, 'tool-call-ended', '17b3075a295940d2', 244, '{"v":1,"type":"tool-call-ended","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.1","result":{"type":"error","message":"This call of ''refund'' was declined and did not run. Do not repeat it unchanged. Reason: Too much.","reason":"declined"}}');
INSERT INTO "events" VALUES (12, 167163093786, 1795369782256, 'tool-call-ended', '17b3075a295940d2', 148, '{"v":1,"type":"tool-call-ended","turn":"17b3075a295940d2","call":"17b3075a295940d2.3.0","result":{"type":"text","content":"refund is done"},"ms":61}');
INSERT INTO "events" VALUES (13, 167163093786, 1795369782302, 'model-replied', '17b3075a295940d2', 175, '{"v":1,"type":"model-replied","turn":"17b3075a295940d2","model":"scripted","text":"Refunded one.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 167163093786, 1795369782302, 'turn-ended', '17b3075a295940d2', 75, '{"v":1,"type":"turn-ended","turn":"17b3075a295940d2","outcome":"completed"}');
INSERT INTO "events" VALUES (15, 0, 1795369782343, 'turn-started', '2ecf9312d9834307', 137, '{"v":1,"type":"turn-started","turn":"2ecf9312d9834307","loopId":"2ecf9312d9834307","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (16, 167163093787, 1795369782392, 'model-replied', '2ecf9312d9834307', 662, '{"v":1,"type":"model-replied","turn":"2ecf9312d9834307","model":"scripted","text":"","toolCalls":[{"id":"2ecf9312d9834307.16.0","providerId":"call_2_0","name":"look_up","input":"{}"},{"id":"2ecf9312d9834307.16.1","providerId":"call_2_1","name":"refund","input":"{\"amount\":5}"},{"id":"2ecf9312d9834307.16.2","providerId":"call_2_2","name":"measure","input":"{\"what\":\"it\"}"},{"id":"2ecf9312d9834307.16.3","providerId":"call_2_3","name":"refund","input":"{\"amount\":7}"},{"id":"2ecf9312d9834307.16.4","providerId":"call_2_4","name":"human_input","input":"{\"question\":\"Is that all?\"}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 167163093787, 1795369782392, 'tool-call-started', '2ecf9312d9834307', 107, '{"v":1,"type":"tool-call-started","turn":"2ecf9312d9834307","call":"2ecf9312d9834307.16.0","effect":"read"}');
INSERT INTO "events" VALUES (18, 167163093787, 1795369782392, 'tool-call-suspended', '2ecf9312d9834307', 442, '{"v":1,"type":"tool-call-suspended","turn":"2ecf9312d9834307","call":"2ecf9312d9834307.16.4","wait":{"for":"decision","message":"Is that all?","allows":["approve","edit","exit"],"schema":{"type":"object","properties":{"text":{"type":"string","description":"The answer"}},"required":["text"],"additionalProperties":false},"onExpiry":"approve","expires":25920000000,"binding":"1e0bc86c86041de6de154d5220adef56d52fa5fbadd401ef03f746c3a7ae791b"}}');
INSERT INTO "events" VALUES (19, 167163093787, 1795369782392, 'tool-call-suspended', '2ecf9312d9834307', 241, '{"v":1,"type":"tool-call-suspended","turn":"2ecf9312d9834307","call":"2ecf9312d9834307.16.2","wait":{"for":"result","message":"Run ''measure'' and send its result.","binding":"e5e60b57597f2fe5c60789dcce35f36370a89e5123e53211cc4df8e8ca015f51"}}');
INSERT INTO "events" VALUES (20, 167163093787, 1795369782392, 'tool-call-suspended', '2ecf9312d9834307', 374, '{"v":1,"type":"tool-call-suspended","turn":"2ecf9312d9834307","call":"2ecf9312d9834307.16.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"dce10a8dbbddfe004bad760017500fc31688f13f32d5048e03650d27ae2b5c78"}}');
INSERT INTO "events" VALUES (21, 167163093787, 1795369782392, 'tool-call-suspended', '2ecf9312d9834307', 374, '{"v":1,"type":"tool-call-suspended","turn":"2ecf9312d9834307","call":"2ecf9312d9834307.16.3","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"85bddecd7ec42bcd5d6415aa98f0b218107b2a39d6b29d8ad56a924601cba060"}}');
INSERT INTO "events" VALUES (22, 167163093787, 1795369782420, 'tool-call-ended', '2ecf9312d9834307', 150, '{"v":1,"type":"tool-call-ended","turn":"2ecf9312d9834307","call":"2ecf9312d9834307.16.0","result":{"type":"text","content":"look_up is done"},"ms":36}');
INSERT INTO "lease" VALUES (1, 167163093787, 'ab97f13044414cce', '2ecf9312d9834307', 'suspended', 'started', 0, 0, NULL);
INSERT INTO "requests" VALUES ('answer 17b3075a295940d2.3.0#0', 'f3e8abee0f854c98', '17b3075a295940d2', 0, 1795974582047);
INSERT INTO "requests" VALUES ('answer 17b3075a295940d2.3.1#0', '56b02ea1bd7b42d9', '17b3075a295940d2', 0, 1795974582179);
INSERT INTO "agenda" VALUES ('expiry', '2ecf9312d9834307.16.4#0', 1821289782392);
INSERT INTO "_cf_METADATA" VALUES (1, 1821289782392000000);
