-- do/holdfast-SessionObject/d5a30e608db0b262a6840bd54be6233da250b7d39f735f42f61e9028968e9799.sqlite
CREATE TABLE schema (version INTEGER NOT NULL, name TEXT NOT NULL);
CREATE TABLE events (seq INTEGER PRIMARY KEY, epoch INTEGER NOT NULL, at INTEGER NOT NULL, type TEXT NOT NULL,
turn TEXT NOT NULL, bytes INTEGER NOT NULL, lengths TEXT, body TEXT);
CREATE INDEX turns ON events (turn) WHERE type = 'turn-started';
CREATE TABLE lease (id INTEGER PRIMARY KEY CHECK (id = 1), epoch INTEGER NOT NULL, nonce TEXT NOT NULL, turn TEXT,
state TEXT NOT NULL, cause TEXT NOT NULL, expired INTEGER NOT NULL, expiredFor INTEGER NOT NULL,
heard INTEGER NOT NULL, heardSeq INTEGER NOT NULL, taken INTEGER NOT NULL, strikes INTEGER NOT NULL,
stoppedAt TEXT NOT NULL, unread INTEGER NOT NULL, due INTEGER, line INTEGER NOT NULL);
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
INSERT INTO "schema" VALUES (1, '["ada","expired","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346783, 'session-opened', '', 82, NULL, '{"v":1,"type":"session-opened","incarnation":"074da68f02fd45ef","agent":"expired"}');
INSERT INTO "events" VALUES (2, 0, 1795939346783, 'turn-started', '55680bfbcb6a410b', 137, NULL, '{"v":1,"type":"turn-started","turn":"55680bfbcb6a410b","loopId":"55680bfbcb6a410b","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (5, 789717131798, 1795939347254, 'model-replied tool-call-suspended tool-call-suspended', '55680bfbcb6a410b', 988, '387 258 343', '{"v":1,"type":"model-replied","turn":"55680bfbcb6a410b","model":"scripted","text":"","toolCalls":[{"id":"55680bfbcb6a410b.3.0","providerId":"call_0_0","name":"refund","input":"{}"},{"id":"55680bfbcb6a410b.3.1","providerId":"call_0_1","name":"measure","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"12f27rr"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-suspended","turn":"55680bfbcb6a410b","call":"55680bfbcb6a410b.3.1","wait":{"for":"result","message":"Run ''measure'' and send its result.","expires":3600000,"binding":"672756f9786d9c30803169b1f6a58970b8a0f40cd339bb2d28721660efa4266b"}}{"v":1,"type":"tool-call-suspended","turn":"55680bfbcb6a410b","call":"55680bfbcb6a410b.3.0","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","expires":3600000,"binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 789717131798, 'd8da9aca9be943d3', '55680bfbcb6a410b', 'suspended', 'started', 0, 0, 1795939347254, 5, 1795939346783, 0, '', 0, NULL, 0);
INSERT INTO "agenda" VALUES ('expiry', '55680bfbcb6a410b.3.0#0', 1795942947254);
INSERT INTO "agenda" VALUES ('expiry', '55680bfbcb6a410b.3.1#0', 1795942947254);
INSERT INTO "_cf_METADATA" VALUES (1, 1795942947254000000);
