/**
 * The log of the black box: append-only files that survive the process. Written by one thread
 * ({@link io.understudy.plugins.blackbox.log.TransactionLog}), read at its start and by commands while the proxy is
 * down. docs/black-box-format.md says what damage of the files means.
 *
 * <p>Numbers are big-endian. The header of 72 bytes is never encrypted: {@code USTYLOG\n}; version, 1 (4 bytes); flags
 * (4): 1 each write waited for the disk ({@code acknowledge: disk}), 2 encrypted; number of the file (8); its random id
 * (16); if encrypted salt (16) and a check of the key (8); CRC32C of all before (4). Records follow, and perhaps zeros:
 *
 * <ul>
 *   <li>length of the body (4), number of the record in the file (4)
 *   <li>CRC32C of id and body (4), CRC32C of these 12 bytes and the id (4)
 *   <li>the body, then 0xA5
 * </ul>
 *
 * <p>A body's first byte is its kind; a text is its length (4) and UTF-8:
 *
 * <ul>
 *   <li>1, start: number of the primary's history (8), server id (8), three booleans (numbers began anew, log_bin,
 *       GTIDs), texts: product, UUID, binlog_format, position, gtid_binlog_state, position at which the history began,
 *       a line for each server that an operator has compared: the history whose numbers it has, a blank, its name; and
 *       a line for each server that stands behind a reset: what it has received, its position, its name, with tabs; and
 *       a line for each thing that is not known of earlier primaries. It is the first record; all transactions up to
 *       the position precede.
 *   <li>2, format: a format description event
 *   <li>3, transaction: length of the two texts without their lengths (4), milliseconds since 1970 (8), CRC32C of its
 *       format description event (4), texts: GTID, kind and, behind a blank, what its client has named it; its events
 *   <li>4, 5, not kept: text: GTID of a transaction that was too large; that every standby had applied before it was
 *       written
 * </ul>
 *
 * <p>In an encrypted file a body is AES-256-GCM of the above with its tag; the nonce is the record's number and eight
 * zero bytes. The file's key is HMAC-SHA256 of the id, under PBKDF2-HMAC-SHA256 of key and salt (210,000 rounds).
 */
@NullMarked
package io.understudy.plugins.blackbox.log;

import org.jspecify.annotations.NullMarked;
