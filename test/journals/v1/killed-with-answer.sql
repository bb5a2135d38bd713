-- do/holdfast-SessionObject/60ebebafe95f8c884a88af3349abcfbd05d93fe72e1bbe75a0fe5ad74cf7aacb.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (1, '["ada","killed-with-answer","s"]');
INSERT INTO "events" VALUES (1, 0, 1795932561816, 'session-opened', '', 93, '{"v":1,"type":"session-opened","incarnation":"917ca4c8f48b4c5b","agent":"killed-with-answer"}');
INSERT INTO "events" VALUES (2, 0, 1795932561816, 'turn-started', '7fb2adae83064256', 137, '{"v":1,"type":"turn-started","turn":"7fb2adae83064256","loopId":"7fb2adae83064256","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 424740416612, 1795932563271, 'model-replied', '7fb2adae83064256', 386, '{"v":1,"type":"model-replied","turn":"7fb2adae83064256","model":"scripted","text":"","toolCalls":[{"id":"7fb2adae83064256.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"7fb2adae83064256.3.1","providerId":"call_0_1","name":"refund","input":"{}"}],"finish":"tool-calls","asked":{"instructions":"19v8e0a","tools":"1y3kbgt"},"usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 424740416612, 1795932563271, 'tool-call-started', '7fb2adae83064256', 106, '{"v":1,"type":"tool-call-started","turn":"7fb2adae83064256","call":"7fb2adae83064256.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 424740416612, 1795932563327, 'tool-call-suspended', '7fb2adae83064256', 325, '{"v":1,"type":"tool-call-suspended","turn":"7fb2adae83064256","call":"7fb2adae83064256.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 424740416612, '99f6dcdd745f4973', '7fb2adae83064256', 'held', 'started', 0, 0, 1795932576651, 5, 1795932562742, 0, '', 0);
INSERT INTO "requests" VALUES ('answer 7fb2adae83064256.3.1#0', 'ff3e363bb6434b0a', '7fb2adae83064256', 0, 1796537382411);
INSERT INTO "inbox" VALUES (1, 'answer', '7fb2adae83064256', '{"wait":"7fb2adae83064256.3.1#0","answer":{"type":"decision","decision":"approve","by":"ada"}}');
INSERT INTO "agenda" VALUES ('turn', '7fb2adae83064256', 1795932582742);
INSERT INTO "_cf_METADATA" VALUES (1, 1795932582742000000);
