-- do/holdfast-SessionObject/3e9b1d872e00ca67f7c719009cfe7be0f76396193ed0954b187d9f7f7bd1cefe.sqlite
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
INSERT INTO "schema" VALUES (2, '["ada","killed-in-model","s"]');
INSERT INTO "events" VALUES (1, 0, 1795369781510, 'session-opened', '', 90, '{"v":1,"type":"session-opened","incarnation":"3687d24db179433b","agent":"killed-in-model"}');
INSERT INTO "events" VALUES (2, 0, 1795369781510, 'turn-started', 'a598158c0df747d2', 137, '{"v":1,"type":"turn-started","turn":"a598158c0df747d2","loopId":"a598158c0df747d2","message":"Go.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (3, 473472119437, 1795369781636, 'model-asked', 'a598158c0df747d2', 241, '{"v":1,"type":"model-asked","turn":"a598158c0df747d2","reserved":{"inputTokens":1398,"outputTokens":4096,"cost":0.042358},"request":{"model":"scripted","system":"19v8e0a1tgnvse","tools":"3d9out0c6f7fj/","messages":1,"text":"1rrgd431f49p53"}}');
INSERT INTO "events" VALUES (4, 473472119437, 1795369781909, 'model-replied', 'a598158c0df747d2', 265, '{"v":1,"type":"model-replied","turn":"a598158c0df747d2","model":"scripted","text":"","toolCalls":[{"id":"a598158c0df747d2.4.0","providerId":"call_0_0","name":"look_up","input":"{}"}],"finish":"tool-calls","usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (5, 473472119437, 1795369781909, 'tool-call-started', 'a598158c0df747d2', 106, '{"v":1,"type":"tool-call-started","turn":"a598158c0df747d2","call":"a598158c0df747d2.4.0","effect":"read"}');
INSERT INTO "events" VALUES (6, 473472119437, 1795369782012, 'tool-call-ended', 'a598158c0df747d2', 150, '{"v":1,"type":"tool-call-ended","turn":"a598158c0df747d2","call":"a598158c0df747d2.4.0","result":{"type":"text","content":"look_up is done"},"ms":111}');
INSERT INTO "events" VALUES (7, 473472119437, 1795369782012, 'model-asked', 'a598158c0df747d2', 239, '{"v":1,"type":"model-asked","turn":"a598158c0df747d2","reserved":{"inputTokens":297,"outputTokens":4096,"cost":0.041257},"request":{"model":"scripted","system":"19v8e0a1tgnvse","tools":"3d9out0c6f7fj/","messages":3,"text":"x3ohn705l0kjq"}}');
INSERT INTO "events" VALUES (8, 473472119437, 1795369782090, 'model-replied', 'a598158c0df747d2', 181, '{"v":1,"type":"model-replied","turn":"a598158c0df747d2","model":"scripted","text":"Gone.","toolCalls":[],"finish":"stop","usage":{"inputTokens":100,"outputTokens":10,"cost":0.0002}}');
INSERT INTO "events" VALUES (9, 473472119437, 1795369782090, 'turn-ended', 'a598158c0df747d2', 75, '{"v":1,"type":"turn-ended","turn":"a598158c0df747d2","outcome":"completed"}');
INSERT INTO "events" VALUES (10, 0, 1795369782174, 'turn-started', 'e8f24b74a3ca4cfa', 140, '{"v":1,"type":"turn-started","turn":"e8f24b74a3ca4cfa","loopId":"e8f24b74a3ca4cfa","message":"Again.","context":{},"principal":{"id":"ada"}}');
INSERT INTO "events" VALUES (11, 473472119438, 1795369782230, 'model-asked', 'e8f24b74a3ca4cfa', 239, '{"v":1,"type":"model-asked","turn":"e8f24b74a3ca4cfa","reserved":{"inputTokens":213,"outputTokens":4096,"cost":0.041173},"request":{"model":"scripted","system":"19v8e0a1tgnvse","tools":"3d9out0c6f7fj/","messages":5,"text":"zjbnny1qutdww"}}');
INSERT INTO "lease" VALUES (1, 473472119438, '3afa75e1b71a4ef3', 'e8f24b74a3ca4cfa', 'held', 'started', 0, 0, NULL);
INSERT INTO "agenda" VALUES ('turn', 'e8f24b74a3ca4cfa', 1795369815565);
INSERT INTO "_cf_METADATA" VALUES (1, 1795369815565000000);
