-- do/holdfast-SessionObject/60ebebafe95f8c884a88af3349abcfbd05d93fe72e1bbe75a0fe5ad74cf7aacb.sqlite
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
INSERT INTO "sqlite_sequence" VALUES ('inbox', 1);
INSERT INTO "schema" VALUES (2, '["ada","killed-with-answer","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781508, 'session-opened', '', 93, '{"v":1,"type":"session-opened","incarnation":"8c960e45f75a44fc","agent":"killed-with-answer"}');
INSERT INTO "events" VALUES (2, 0, 1795369781508, 'turn-started', '98d3e74b43c64a0f', 137, '{"v":1,"type":"turn-started","turn":"98d3e74b43c64a0f","loopId":"98d3e74b43c64a0f","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 219765070929, 1795369781937, 'model-replied', '98d3e74b43c64a0f', 333, '{"v":1,"type":"model-replied","turn":"98d3e74b43c64a0f","model":"scripted","text":"","toolCalls":[{"id":"98d3e74b43c64a0f.3.0","providerId":"call_0_0","name":"charge","input":"{}"},{"id":"98d3e74b43c64a0f.3.1","providerId":"call_0_1","name":"refund","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10}}');
INSERT INTO "events" VALUES (4, 219765070929, 1795369781937, 'tool-call-started', '98d3e74b43c64a0f', 106, '{"v":1,"type":"tool-call-started","turn":"98d3e74b43c64a0f","call":"98d3e74b43c64a0f.3.0","effect":"once"}');
INSERT INTO "events" VALUES (5, 219765070929, 1795369781958, 'tool-call-suspended', '98d3e74b43c64a0f', 325, '{"v":1,"type":"tool-call-suspended","turn":"98d3e74b43c64a0f","call":"98d3e74b43c64a0f.3.1","wait":{"for":"decision","message":"Refund it?","allows":["approve","edit","reject","exit"],"schema":{"type":"object","properties":{}},"onExpiry":"reject","binding":"2818b178409ffd99d2fd84e4fb8fa625dce30e7cc96107aea166efa5d96500e3"}}');
INSERT INTO "lease" VALUES (1, 219765070929, '4dd4e74ce50048b0', '98d3e74b43c64a0f', 'held', 'started', 0, 0, NULL);
INSERT INTO "requests" VALUES ('answer 98d3e74b43c64a0f.3.1#0', '8ba5d72482354893', '98d3e74b43c64a0f', 0, 1795974607373);
INSERT INTO "inbox" VALUES (1, 'answer', '98d3e74b43c64a0f', '{"wait":"98d3e74b43c64a0f.3.1#0","answer":{"type":"decision","decision":"approve","by":"ada"}}');
INSERT INTO "agenda" VALUES ('turn', '98d3e74b43c64a0f', 1795369815289);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815289000000);
