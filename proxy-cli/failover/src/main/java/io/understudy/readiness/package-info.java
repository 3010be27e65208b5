/**
 * The readiness gate: may a standby be promoted? {@link io.understudy.readiness.ReadinessGate} reads both servers twice
 * within one bounded time. Each {@link io.understudy.readiness.Check} turns the facts into findings.
 * {@link io.understudy.readiness.ReadinessReport} is the verdict. Nothing is changed on any server.
 */
@NullMarked
package io.understudy.readiness;

import org.jspecify.annotations.NullMarked;
