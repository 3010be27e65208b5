package io.understudy.steering.parallelism;

/** The phases in which MariaDB logs a schema change. */
public enum AlterPhase {
    /** Once, when it had ended; also every transaction that is no schema change. */
    WHOLE,
    /** Its begin, with {@code binlog_alter_two_phase}. */
    START,
    /** Its end, after a {@link #START}: COMMIT ALTER or ROLLBACK ALTER. */
    END
}
