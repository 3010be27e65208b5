-- Single updates by primary key that go to two tables in turn. With domains.yaml each table has a domain of its own, so that a domain is set
-- ahead of every statement.
local size = 100000

function thread_init()
    con = sysbench.sql.driver():connect()
    turn = 0
end

function thread_done()
    con:disconnect()
end

function event()
    turn = 1 - turn
    con:query("UPDATE sbtest" .. (1 + turn) .. " SET k = k + 1 WHERE id = " .. sysbench.rand.uniform(1, size))
end
