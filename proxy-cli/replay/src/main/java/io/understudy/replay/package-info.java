/**
 * Plays the statements of a log on a server: each session on a connection, in its order, at the log's pace. Imports
 * {@code connection} for the wire and the mirror's analysis for what may be sent.
 */
@NullMarked
package io.understudy.replay;

import org.jspecify.annotations.NullMarked;
