package io.understudy.plugins.blackbox.reset;

/**
 * What is known of a server behind a reset of the primary (RESET MASTER).
 *
 * @param renumbered whether numbers have begun anew behind those that it has, or it has lost its own since
 * @param compared whether an operator has said that its position counts, where the numbers began anew, and it still
 *     does
 * @param seenBefore whether its position was seen while its numbers were those from before
 * @param hadAll whether it is known that it had all from before
 * @param skipped whether its replication has gone on behind the primary's numbers, and has skipped some
 * @param ofBefore where numbers ended before they began anew, what it had of them, and which step is next, for a report
 */
public record Standing(
        boolean renumbered, boolean compared, boolean seenBefore, boolean hadAll, boolean skipped, String ofBefore) {}
