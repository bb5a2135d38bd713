-- do/holdfast-SessionObject/1656e27869e5ba53ddcb0b8848b9f07a3418433b772bf6b65faa945c2563a96f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","suspended-inside","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561776, 'session-opened', '', 91, '{"v":1,"type":"session-opened","incarnation":"f8e795887b3448fb","agent":"suspended-inside"}');
INSERT INTO "events" VALUES (2, 0, 1795932561776, 'turn-started', 'a1de993557f94bc6', 137, '{"v":1,"type":"turn-started","turn":"a1de993557f94bc6","loopId":"a1de993557f94bc6","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 513588141161, 1795932563105, 'model-replied', 'a1de993557f94bc6', 401, '{"v":1,"type":"model-replied","turn":"a1de993557f94bc6","model":"scripted","text":"","toolCalls":[{"id":"a1de993557f94bc6.3.0","providerId":"call_0_0","name":"look_up","input":"{}"},{"id":"a1de993557f94bc6.3.1","providerId":"call_0_1","name":"work","input":"{\"task\":\"buy\"}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1jnibkh"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 513588141161, 1795932563105, 'tool-call-started', 'a1de993557f94bc6', 106, '{"v":1,"type":"tool-call-started","turn":"a1de993557f94bc6","call":"a1de993557f94bc6.3.0","effect":"read"}');
INSERT INTO "events" VALUES (5, 513588141161, 1795932563105, 'frame-started', 'a1de993557f94bc6', 132, '{"v":1,"type":"frame-started","turn":"a1de993557f94bc6","frame":"a1de993557f94bc6.3.1","name":"work","message":"{\"task\":\"buy\"}"}');
INSERT INTO "events" VALUES (6, 513588141161, 1795932563547, 'model-replied', 'a1de993557f94bc6', 330, '{"v":1,"type":"model-replied","turn":"a1de993557f94bc6","frame":"a1de993557f94bc6.3.1","model":"scripted","text":"","toolCalls":[{"id":"a1de993557f94bc6.6.0","providerId":"call_0_0","name":"pay","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"1mvdbwl","tools":"ecal54"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (7, 513588141161, 1795932563547, 'tool-call-suspended', 'a1de993557f94bc6', 350, '{"v":1,"type":"tool-call-suspended","turn":"a1de993557f94bc6","frame":"a1de993557f94bc6.3.1","call":"a1de993557f94bc6.6.0","wait":{"for":"decision","message":"Pay?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"ab0c78d5d306980d9c18d543de6aaccdcee5f14c9a6dd7a9c738a917f38f27c7"}}');
INSERT INTO "events" VALUES (8, 513588141161, 1795932563547, 'tool-call-ended', 'a1de993557f94bc6', 150, '{"v":1,"type":"tool-call-ended","turn":"a1de993557f94bc6","call":"a1de993557f94bc6.3.0","result":{"type":"text","content":"look_up is done"},"ms":487}');
INSERT INTO "lease" VALUES (1, 513588141161, '2dcf05713fb64799', 'a1de993557f94bc6', 'suspended', 'started', 0, 0, 1795932563547, 8, 1795932561776, 0, '', 0);
INSERT INTO "_cf_METADATA" VALUES (1, NULL);
