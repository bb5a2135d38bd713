-- do/holdfast-SessionObject/850190c8f6379982750608db10e18bf6d305f5b4908d101a107252c1ca7d028f.sqlite
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
INSERT INTO "schema" VALUES (1, '["ada","killed-while-asking","s"]');
INSERT INTO "events" VALUES (1, 0, 1795939346791, 'session-opened', '', 94, NULL, '{"v":1,"type":"session-opened","incarnation":"a7ea4363b4294caa","agent":"killed-while-asking"}');
INSERT INTO "events" VALUES (2, 0, 1795939346791, 'turn-started', '8311e89388f74066', 137, NULL, '{"v":1,"type":"turn-started","turn":"8311e89388f74066","loopId":"8311e89388f74066","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (5, 815612168611, 1795939347370, 'model-replied tool-call-started tool-call-started', '8311e89388f74066', 599, '381 112 106', '{"v":1,"type":"model-replied","turn":"8311e89388f74066","model":"scripted","text":"","toolCalls":[{"id":"8311e89388f74066.3.0","providerId":"call_0_0","name":"put","input":"{}"},{"id":"8311e89388f74066.3.1","providerId":"call_0_1","name":"book","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"12t9mej"},"usage":{"inputTokens":100,"outputTokens":10}}{"v":1,"type":"tool-call-started","turn":"8311e89388f74066","call":"8311e89388f74066.3.0","effect":"idempotent"}{"v":1,"type":"tool-call-started","turn":"8311e89388f74066","call":"8311e89388f74066.3.1","effect":"once"}');
INSERT INTO "events" VALUES (7, 815612168611, 1795939347394, 'tool-call-suspended tool-call-suspended', '8311e89388f74066', 683, '341 342', '{"v":1,"type":"tool-call-suspended","turn":"8311e89388f74066","call":"8311e89388f74066.3.0","wait":{"for":"decision","message":"put?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","expires":25920000000,"binding":"c4b91053e64af41191e5d6bbca3409a410d55ec6ac405a307b74f520ace54e9b"}}{"v":1,"type":"tool-call-suspended","turn":"8311e89388f74066","call":"8311e89388f74066.3.1","wait":{"for":"decision","message":"book?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","expires":25920000000,"binding":"0dde6068e0fb17a84ef5c9428f8d9d37691698ec6342d1ebc93187d52c96972a"}}');
INSERT INTO "lease" VALUES (1, 815612168611, '6caaf4fcc7e24f28', '8311e89388f74066', 'held', 'started', 0, 0, 1795939360720, 7, 1795939347041, 0, '', 0, 1795939367041, 0);
INSERT INTO "agenda" VALUES ('expiry', '8311e89388f74066.3.0#0', 1821859347394);
INSERT INTO "agenda" VALUES ('expiry', '8311e89388f74066.3.1#0', 1821859347394);
INSERT INTO "_cf_METADATA" VALUES (1, 1795939367041000000);
