-- do/holdfast-SessionObject/f5f79a98f54d3fb6482b0da3f2688a409e986b5e875badb0203031ab0fcbbaf6.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 2);
INSERT INTO "schema" VALUES (1, '["ada","suspended","s"]');
INSERT INTO "events" VALUES (1, 0, 1795934290596, 'session-opened', '', 84, '{"v":1,"type":"session-opened","incarnation":"cff9a8c239cc42f9","agent":"suspended"}');
INSERT INTO "events" VALUES (2, 0, 1795934290596, 'turn-started', '2d3078c9d4a24bc9', 140, '{"v":1,"type":"turn-started","turn":"2d3078c9d4a24bc9","loopId":"2d3078c9d4a24bc9","message":"First.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 965562184413, 1795934294271, 'model-replied', '2d3078c9d4a24bc9', 410, '{"v":1,"type":"model-replied","turn":"2d3078c9d4a24bc9","model":"scripted","text":"","toolCalls":[{"id":"2d3078c9d4a24bc9.3.0","providerId":"call_0_0","name":"refund","input":"{\"amount\":1}"},{"id":"2d3078c9d4a24bc9.3.1","providerId":"call_0_1","name":"refund","input":"{\"amount\":2}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lyttor"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 965562184413, 1795934294271, 'tool-call-suspended', '2d3078c9d4a24bc9', 373, '{"v":1,"type":"tool-call-suspended","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.0","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"10c713bff51a53f1194ecaa832bab58b5e72c14ca4860acc35fee87533c2d348"}}');
INSERT INTO "events" VALUES (5, 965562184413, 1795934294271, 'tool-call-suspended', '2d3078c9d4a24bc9', 373, '{"v":1,"type":"tool-call-suspended","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"251100eb51bc33eb8889bb4be7dcb13bd9be12f2b4d7dc71d959bf20ae351c04"}}');
INSERT INTO "events" VALUES (6, 965562184414, 1795934296726, 'turn-resumed', '2d3078c9d4a24bc9', 77, '{"v":1,"type":"turn-resumed","turn":"2d3078c9d4a24bc9","cause":"handed-over"}');
INSERT INTO "events" VALUES (7, 965562184414, 1795934296726, 'tool-call-answered', '2d3078c9d4a24bc9', 152, '{"v":1,"type":"tool-call-answered","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.0","answer":{"type":"decision","decision":"approve","by":"ada"}}');
INSERT INTO "events" VALUES (8, 965562184415, 1795934298231, 'turn-resumed', '2d3078c9d4a24bc9', 77, '{"v":1,"type":"turn-resumed","turn":"2d3078c9d4a24bc9","cause":"handed-over"}');
INSERT INTO "events" VALUES (9, 965562184415, 1795934298231, 'tool-call-answered', '2d3078c9d4a24bc9', 172, '{"v":1,"type":"tool-call-answered","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.1","answer":{"type":"decision","decision":"reject","reason":"Too much.","by":"ada"}}');
INSERT INTO "events" VALUES (10, 965562184415, 1795934298231, 'tool-call-started', '2d3078c9d4a24bc9', 106, '{"v":1,"type":"tool-call-started","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.0","effect":"once"}');
INSERT INTO "events" VALUES (11, 965562184415, 1795934298339, 'tool-call-ended', '2d3078c9d4a24bc9', 244, '{"v":1,"type":"tool-call-ended","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.1","result":{"type":"error","message":"This call of ''refund'' was declined and did not run. Do not repeat it unchanged. Reason: Too much.","reason":"declined"}}');
INSERT INTO "events" VALUES (12, 965562184415, 1795934299056, 'tool-call-ended', '2d3078c9d4a24bc9', 149, '{"v":1,"type":"tool-call-ended","turn":"2d3078c9d4a24bc9","call":"2d3078c9d4a24bc9.3.0","result":{"type":"text","content":"refund is done"},"ms":596}');
INSERT INTO "events" VALUES (13, 965562184415, 1795934299409, 'model-replied', '2d3078c9d4a24bc9', 228, '{"v":1,"type":"model-replied","turn":"2d3078c9d4a24bc9","model":"scripted","text":"Refunded one.","toolCalls":[],"finish":"stop","asked":{"instructions":"19v8e0a","tools":"1lyttor"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (14, 965562184415, 1795934299409, 'turn-ended', '2d3078c9d4a24bc9', 75, '{"v":1,"type":"turn-ended","turn":"2d3078c9d4a24bc9","outcome":"completed"}');
INSERT INTO "events" VALUES (15, 0, 1795934299671, 'turn-started', 'd025dbb8261d47f9', 137, '{"v":1,"type":"turn-started","turn":"d025dbb8261d47f9","loopId":"d025dbb8261d47f9","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (16, 965562184416, 1795934300294, 'model-replied', 'd025dbb8261d47f9', 715, '{"v":1,"type":"model-replied","turn":"d025dbb8261d47f9","model":"scripted","text":"","toolCalls":[{"id":"d025dbb8261d47f9.16.0","providerId":"call_2_0","name":"look_up","input":"{}"},{"id":"d025dbb8261d47f9.16.1","providerId":"call_2_1","name":"refund","input":"{\"amount\":5}"},{"id":"d025dbb8261d47f9.16.2","providerId":"call_2_2","name":"measure","input":"{\"what\":\"it\"}"},{"id":"d025dbb8261d47f9.16.3","providerId":"call_2_3","name":"refund","input":"{\"amount\":7}"},{"id":"d025dbb8261d47f9.16.4","providerId":"call_2_4","name":"human_input","input":"{\"question\":\"Is that all?\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1lyttor"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (17, 965562184416, 1795934300294, 'tool-call-started', 'd025dbb8261d47f9', 107, '{"v":1,"type":"tool-call-started","turn":"d025dbb8261d47f9","call":"d025dbb8261d47f9.16.0","effect":"read"}');
INSERT INTO "events" VALUES (18, 965562184416, 1795934300294, 'tool-call-suspended', 'd025dbb8261d47f9', 241, '{"v":1,"type":"tool-call-suspended","turn":"d025dbb8261d47f9","call":"d025dbb8261d47f9.16.2","wait":{"for":"result","message":"Run ''measure'' and send its result.","binding":"e5e60b57597f2fe5c60789dcce35f36370a89e5123e53211cc4df8e8ca015f51"}}');
INSERT INTO "events" VALUES (19, 965562184416, 1795934300294, 'tool-call-suspended', 'd025dbb8261d47f9', 442, '{"v":1,"type":"tool-call-suspended","turn":"d025dbb8261d47f9","call":"d025dbb8261d47f9.16.4","wait":{"for":"decision","message":"Is that all?","allows":["approve","edit","exit"],"schema":{"type":"object","properties":{"text":{"type":"string","description":"The answer"}},"required":["text"],"additionalProperties":false},"onExpiry":"approve","expires":25920000000,"binding":"1e0bc86c86041de6de154d5220adef56d52fa5fbadd401ef03f746c3a7ae791b"}}');
INSERT INTO "events" VALUES (20, 965562184416, 1795934300294, 'tool-call-suspended', 'd025dbb8261d47f9', 374, '{"v":1,"type":"tool-call-suspended","turn":"d025dbb8261d47f9","call":"d025dbb8261d47f9.16.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"dce10a8dbbddfe004bad760017500fc31688f13f32d5048e03650d27ae2b5c78"}}');
INSERT INTO "events" VALUES (21, 965562184416, 1795934300294, 'tool-call-suspended', 'd025dbb8261d47f9', 374, '{"v":1,"type":"tool-call-suspended","turn":"d025dbb8261d47f9","call":"d025dbb8261d47f9.16.3","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{"amount":{"type":"number"}},"required":["amount"]},"onExpiry":"reject","binding":"85bddecd7ec42bcd5d6415aa98f0b218107b2a39d6b29d8ad56a924601cba060"}}');
INSERT INTO "events" VALUES (22, 965562184416, 1795934300651, 'tool-call-ended', 'd025dbb8261d47f9', 151, '{"v":1,"type":"tool-call-ended","turn":"d025dbb8261d47f9","call":"d025dbb8261d47f9.16.0","result":{"type":"text","content":"look_up is done"},"ms":347}');
INSERT INTO "lease" VALUES (1, 965562184416, '0748fe19e2344218', 'd025dbb8261d47f9', 'suspended', 'started', 0, 0, 1795934300651, 22, 1795934299672, 0, '', 0);
INSERT INTO "requests" VALUES ('answer 2d3078c9d4a24bc9.3.0#0', 'dc8a66e621884654', '2d3078c9d4a24bc9', 0, 1796539096679);
INSERT INTO "requests" VALUES ('answer 2d3078c9d4a24bc9.3.1#0', 'f4abc1c1bc76448e', '2d3078c9d4a24bc9', 0, 1796539098179);
INSERT INTO "agenda" VALUES ('expiry', 'd025dbb8261d47f9.16.4#0', 1821854300306);
INSERT INTO "_cf_METADATA" VALUES (1, 1821854300306000000);
