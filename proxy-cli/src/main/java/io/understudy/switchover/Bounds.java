package io.understudy.switchover;

import java.time.Duration;

/**
 * How long a switchover may take.
 *
 * @param lag the standby must have applied the primary's present position within this time
 * @param hold sessions are held for at most this long
 */
public record Bounds(Duration lag, Duration hold) {}
