package io.understudy.demo;

import java.sql.SQLException;

/** The work of one worker, repeated. */
interface Script {

    /** One piece of work: a statement, or a whole transaction. */
    void step(LoadSession session) throws SQLException;

    /** Brings the session back to autocommit after an error in the midst of a step. */
    default void recover(LoadSession session) throws SQLException {
        session.text(LoadCounters.Kind.TRANSACTION, "ROLLBACK");
    }
}
