/** Sentences of the daemon, reasons and outcomes, in the language of the page. One that is not listed stays as the daemon said it. */
/** `{}` stands for any text, which is looked up again, as is each part before and behind `; `. */
export const PHRASES = `
by the page | từ trang này
entries are off | đã ngừng mở vị thế
entries are off until tickwright resume | đã ngừng mở vị thế cho đến khi bấm Tiếp tục
entries are allowed again, as far as limits and risk allow them | được mở vị thế lại, trong hạn mức và rủi ro cho phép
nothing was halted: entries were allowed already, as far as limits and risk allow them | không có gì bị ngừng: đã được mở vị thế từ trước
entries stay off: the journal cannot take the resume: {} | vẫn ngừng mở vị thế: nhật ký không ghi được lệnh tiếp tục: {}
{} to be closed | đang đóng {}
all positions are | tất cả vị thế
the position of {} is | vị thế của {}
entries of {} are off until tickwright resume --strategy {} | đã ngừng mở vị thế của {} cho đến khi bấm Tiếp tục
stopping: orders and positions as configured under stop | đang dừng: lệnh và vị thế xử lý theo cấu hình stop
connecting again | đang kết nối lại
nothing waited | không có cảnh báo nào chờ
no session is open yet | chưa có phiên
no session is open | chưa có phiên
there is no open order {}: see tickwright orders | không có lệnh chờ {}
taken, but the engine does not answer yet; tickwright halt works meanwhile | đã nhận, nhưng bộ xử lý chưa trả lời; nút Ngừng vẫn có tác dụng
the daemon waits for a one-time password: {} | chương trình đang chờ mật khẩu một lần (OTP)
no answer yet: tickwright status shows whether there is a token | chưa có trả lời: xem mục Token
a new token is in use, valid until {}; {} of {} exchanges of the day are used | token mới đang dùng, có hiệu lực đến {}; đã dùng {}/{} lần đổi trong ngày
all {} exchanges of the day are used: no new token before tomorrow | đã dùng hết {} lần đổi trong ngày: ngày mai mới có token mới
the journal cannot be written | không ghi được nhật ký
the engine does not answer | bộ xử lý không trả lời
the engine has not answered yet | bộ xử lý chưa trả lời
the price stream is {} | luồng giá: {}
waiting | chờ kết nối lại
connecting | đang kết nối
stopped | đã dừng
paused | tạm dừng
the account's loss of the day, {}, has reached {} (risk.dailyLossMax) | lỗ trong ngày của tài khoản, {}, đã chạm {} (risk.dailyLossMax)
its loss of the day, {}, has reached {} (strategies[].risk.dailyLossMax) | lỗ trong ngày của chiến lược, {}, đã chạm {} (strategies[].risk.dailyLossMax)
the journal could not be written: {} | không ghi được nhật ký: {}
no prices come | không có giá mới
there is no token | không có token
positions are not proven: {} | vị thế chưa được xác nhận: {}
stops are not proven: {} | lệnh dừng chưa được xác nhận: {}
money differs from the broker’s | tiền lệch với công ty chứng khoán
the channel {} fails: {} | kênh {} bị lỗi: {}
`
  .trim()
  .split('\n')
  .map((line) => {
    const [en = '', vi = ''] = line.split(' | ');
    return [en, vi] as const;
  });

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const PATTERNS = PHRASES.map(([en, vi]) => ({
  pattern: new RegExp(`^${en.split('{}').map(escaped).join('(.+?)')}$`),
  vi,
}));

export function vietnamese(text: string): string {
  for (const { pattern, vi } of PATTERNS) {
    const [whole, ...parts] = pattern.exec(text) ?? [];
    if (whole === undefined) continue;
    return vi.replaceAll('{}', () => vietnamese(parts.shift() ?? ''));
  }
  return text.includes('; ') ? text.split('; ').map(vietnamese).join('; ') : text;
}
